"""Agents and rules written as text: a name, and options in brackets, as in `random(prev_step_bias=0.5)`."""

import ast
from dataclasses import replace
from typing import Any

from puzzlebox.agents import Agent, agent_named, code_of, defaults_of
from puzzlebox.wings import Wing
from puzzlebox.wings.protocols import OWN_RULES, Ruling


class _Numbers(ast.NodeTransformer):
    """Reads `true` and `false` as truth values, and `nan` and `inf` as numbers, which agents and rules then refuse."""

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id in ("true", "false"):
            return ast.Constant(node.id == "true")
        return ast.Constant(float(node.id)) if node.id in ("nan", "inf") else node


def parse_spec(text: str, what: str, example: str) -> tuple[str, dict[str, Any]]:
    """Split a text into name and options. No code is executed: options are literals.

    Args:
        text: the text.
        what: what the text describes, for the error message.
        example: an example of such a text, for the error message.

    Raises:
        ValueError: the brackets hold something other than options.
    """
    name, bracket, _ = text.partition("(")
    if not bracket:
        return text.strip(), {}
    try:
        # Only the brackets are parsed as Python: the name may be an import path, a number, or contain a dash.
        call = ast.parse("f" + text[len(name) :].strip(), mode="eval").body
        if not isinstance(call, ast.Call) or call.args or any(each.arg is None for each in call.keywords):
            raise ValueError
        numbers = _Numbers()
        return name.strip(), {str(each.arg): ast.literal_eval(numbers.visit(each.value)) for each in call.keywords}
    except (ValueError, SyntaxError):
        raise ValueError(
            f"{text!r} is not {what}; write them as in {example}, with numbers, true, false or texts in quotes"
        ) from None


def agent_of(text: str) -> Agent:
    """Create an agent from its name or import path, with options as in `random(prev_step_bias=0.5)`."""
    name, options = _agent(text)
    return agent_named(name, **options)


def agent_code_of(text: str, agent: Agent) -> str | None:
    """Return a fingerprint of the code of an agent that `agent_of` created from a text; None without source code."""
    return code_of(_agent(text)[0], agent)


def agent_options_of(text: str) -> dict[str, Any]:
    """Return every option of the agent that a text describes, defaults included."""
    name, options = _agent(text)
    return defaults_of(name) | options


def _agent(text: str) -> tuple[str, dict[str, Any]]:
    return parse_spec(text, "an agent with options", "random(prev_step_bias=0.5)")


def rules_of(wing: Wing, rules: Any) -> Ruling:
    """Return rules of a wing from text, as in `3.1` or `3.1(decision_period=5)`, or from the wing's own objects."""
    if not isinstance(rules, str):
        return wing.rules(rules)
    name, changes = parse_spec(rules, "a preset of rules with fields", "3.1(decision_period=5)")
    chosen = wing.named_rules(name, **changes)
    return replace(chosen, name=rules) if changes or chosen.name == OWN_RULES else chosen
