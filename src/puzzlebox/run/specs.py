"""How agents and rules are asked for in one word: a name, and options in brackets."""

import ast
from dataclasses import replace
from typing import Any

from puzzlebox.agents import Agent, agent_named, code_of, defaults_of
from puzzlebox.wings import Wing
from puzzlebox.wings.protocols import OWN_RULES, Ruling


class _Numbers(ast.NodeTransformer):
    """Reads `nan` and `inf` as the numbers they stand for, so that whoever gets one says what is allowed instead."""

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.Constant(float(node.id)) if node.id in ("nan", "inf") else node


def asked(text: str, what: str, example: str) -> tuple[str, dict[str, Any]]:
    """The name, and the options. Nothing is executed: options are plain values.

    Args:
        text: what was asked for.
        what: what that should be, for the sentence where it is not.
        example: how it is written.
    """
    name, bracket, _ = text.partition("(")
    if not bracket:
        return text.strip(), {}
    try:
        # The name may be an import path, a number or have a dash, so that only what is in the brackets is Python.
        call = ast.parse("f" + text[len(name) :].strip(), mode="eval").body
        if not isinstance(call, ast.Call) or call.args or any(each.arg is None for each in call.keywords):
            raise ValueError
        numbers = _Numbers()
        return name.strip(), {str(each.arg): ast.literal_eval(numbers.visit(each.value)) for each in call.keywords}
    except (ValueError, SyntaxError):
        raise ValueError(f"{text!r} is no {what}; write them as in {example}") from None


def agent_of(text: str) -> Agent:
    """An agent by its name or import path, with options as in `random(prev_step_bias=0.5)`."""
    name, options = _agent(text)
    return agent_named(name, **options)


def agent_code_of(text: str, agent: Agent) -> str | None:
    """A fingerprint of the code of an agent asked for like that; None where there is no code to read."""
    return code_of(_agent(text)[0], agent)


def agent_options_of(text: str) -> dict[str, Any]:
    """Every option of an agent asked for like that, also those nobody mentioned."""
    name, options = _agent(text)
    return defaults_of(name) | options


def _agent(text: str) -> tuple[str, dict[str, Any]]:
    return asked(text, "agent with options", "random(prev_step_bias=0.5)")


def rules_of(wing: Wing, rules: Any) -> Ruling:
    """Rules of a wing: a name with single fields changed, as in `3.1(decision_period=5)`, or the wing's own objects."""
    if not isinstance(rules, str):
        return wing.rules(rules)
    name, changes = asked(rules, "preset of rules with fields", "3.1(decision_period=5)")
    chosen = wing.named_rules(name, **changes)
    return replace(chosen, name=rules) if changes or chosen.name == OWN_RULES else chosen
