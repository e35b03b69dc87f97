"""The numbers of the 2024 paper reproduced from its own results and with R, and its mistakes."""

import csv
from pathlib import Path

import pytest

from puzzlebox.report import published
from puzzlebox.report.published_claims import (
    all_claims,
    foraging_doubles,
    operant_doubles,
    ppo_claims,
    tied_time_outs,
)
from puzzlebox.stats import Interval, dunn, fit_crossed, kruskal_wallis, wilson
from puzzlebox.stats.intervals import wilson_of

Groups = dict[str, list[float]]
FORAGING = {
    ("random", "heuristic"): -14.3240,
    ("random", "ppo"): -6.6642,
    ("random", "dreamer-v3"): -15.6623,
    ("heuristic", "ppo"): 7.6599,
    ("heuristic", "dreamer-v3"): -1.3382,
    ("ppo", "dreamer-v3"): -8.9981,
}
R, H, P, PC, D, DC = "random", "heuristic", "ppo", "ppo-curriculum", "dreamer-v3", "dreamer-v3-curriculum"
# As published, and with time-outs as ties.
OPERANT = {
    (R, H): (-2.2587, -6.4214),
    (R, P): (2.3145, 0.3090),
    (R, PC): (0.7799, -1.2989),
    (R, D): (-10.0147, -12.4106),
    (R, DC): (-13.0546, -15.9334),
    (H, P): (4.5732, 6.7304),
    (H, PC): (3.0386, 5.1225),
    (H, D): (-7.7561, -5.9892),
    (H, DC): (-10.7959, -9.5120),
    (P, PC): (-1.5346, -1.6079),
    (P, D): (-12.3293, -12.7196),
    (P, DC): (-15.3692, -16.2424),
    (PC, D): (-10.7947, -11.1117),
    (PC, DC): (-13.8345, -14.6345),
    (D, DC): (-3.0399, -3.5228),
}

# Statistic, degrees of freedom and p of `kruskal.test(reward, agent)` in R 4.2.2. Doubles went to R as hexadecimal
# text, for decimals of 15 digits would have made equal what the paper ranked apart.
KRUSKAL_OF_R = {
    "foraging": (318.149552418229, 3, 1.173050982990e-68),
    "foraging, as doubles": (318.161244071452, 3, 1.166234829973e-68),
    "operant": (388.104037469065, 5, 1.086107491648e-81),
    "operant, as doubles": (400.154856856188, 5, 2.747196253362e-84),
    "operant, time-outs tied": (475.675338192614, 5, 1.418840609556e-100),
    "made up": (11.803497681352, 3, 8.087521497250e-03),
}
# z and p of Dunn's test, and p by Bonferroni and by Holm, of the made-up groups. With x the rewards, g the agents as a
# factor, one and two the places of a pair's agents:
#   t <- table(x); N <- length(x); v <- N * (N + 1) / 12 - sum(t^3 - t) / (12 * (N - 1))
#   m <- tapply(rank(x), g, mean); n <- table(g); z <- (m[one] - m[two]) / sqrt(v * (1 / n[one] + 1 / n[two]))
#   p <- 2 * pnorm(-abs(z)); p.adjust(p, "bonferroni"); p.adjust(p, "holm")
DUNN_OF_R = {
    ("agent 0", "agent 1"): (-1.382909176665, 1.6669271618e-01, 1.0000000000e00, 5.0007814853e-01),
    ("agent 0", "agent 2"): (-1.833994893626, 6.6654752148e-02, 3.9992851289e-01, 2.6661900859e-01),
    ("agent 0", "agent 3"): (-3.309202107572, 9.3562271174e-04, 5.6137362705e-03, 5.6137362705e-03),
    ("agent 1", "agent 2"): (-0.784583159506, 4.3269800700e-01, 1.0000000000e00, 5.5244196398e-01),
    ("agent 1", "agent 3"): (-2.317816879769, 2.0459275330e-02, 1.2275565198e-01, 1.0229637665e-01),
    ("agent 2", "agent 3"): (-1.088847860478, 2.7622098199e-01, 1.0000000000e00, 5.5244196398e-01),
}
# Estimates and standard errors of the testbed, printed by `model.R` of a report on reference-results.csv without PPO
# (R 4.2.2, lme4 1.1-31): passed ~ agent + level + (1 | task) + (1 | task:agent), where the three variants are one task.
TESTBED_OF_R = {
    "intercept": (-3.77723, 0.717497),
    "heuristic": (3.63705, 0.572871),
    "dreamer-v3": (4.03603, 0.57065),
    "ironbar": (8.1651, 0.662509),
    "Trrrrr": (8.30386, 0.674831),
    "2": (-2.46416, 0.851111),
    "3": (-6.75152, 0.9387),
    "4": (-5.73862, 0.908266),
    "5": (-6.04986, 0.94825),
    "6": (-3.79453, 0.864756),
    "7": (-2.33944, 0.838846),
    "8": (-7.3623, 0.999846),
    "9": (-6.85358, 0.945281),
    "10": (-11.7804, 1.20816),
}
SPREADS_OF_R = {"task": 2.35385, "task:agent": 3.82529}
LIKELIHOOD_OF_R = -1439.51


@pytest.fixture(scope="module")
def spec(reference: Path) -> Path:
    return reference / "spec"


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def episodes(spec: Path) -> dict[str, Groups]:
    results: dict[str, Groups] = {}
    for row in rows(spec / "reference-episodes.csv"):
        if row["agent"] != "recurrent-ppo":  # in the files, not in the paper
            results.setdefault(row["experiment"], {}).setdefault(row["agent"], []).append(float(row["reward"]))
    return results


def test_foraging_as_published(episodes: dict[str, Groups]) -> None:
    groups = foraging_doubles(episodes["foraging"])
    test = kruskal_wallis(groups)
    assert round(test.h, 2) == 318.16
    assert test.df == 3
    results = {(pair.first, pair.second): pair for pair in dunn(groups)}
    for pair, z in FORAGING.items():
        assert results[pair].z == pytest.approx(z, abs=2e-4), pair
    assert results["heuristic", "ppo"].p == pytest.approx(1.86e-14, rel=0.01)
    assert results["heuristic", "dreamer-v3"].p == pytest.approx(0.1808, abs=1e-4)
    assert results["heuristic", "dreamer-v3"].p_bonferroni == 1


def test_operant_chamber_as_published(episodes: dict[str, Groups]) -> None:
    groups = operant_doubles(episodes["operant-chamber"])
    assert kruskal_wallis(groups, "r").h == pytest.approx(400.155, abs=1e-3)
    exact = kruskal_wallis(groups)
    assert exact.h == pytest.approx(398.793, abs=1e-3)
    assert exact.df == 5
    results = {(pair.first, pair.second): pair for pair in dunn(groups)}
    for pair, (z, _) in OPERANT.items():
        assert results[pair].z == pytest.approx(z, abs=1e-4), pair
    assert results[R, H].p_bonferroni == pytest.approx(0.36, abs=0.005)


def test_the_rounded_reference_table_gives_other_statistics_than_published(episodes: dict[str, Groups]) -> None:
    """The table has six decimals, so values that the paper ranked differently are ties, which changes H."""
    assert kruskal_wallis(episodes["foraging"]).h == pytest.approx(318.150, abs=1e-3)
    assert kruskal_wallis(episodes["operant-chamber"]).h == pytest.approx(388.104, abs=1e-3)
    for name, doubles in (("foraging", foraging_doubles), ("operant-chamber", operant_doubles)):
        for agent, values in doubles(episodes[name]).items():
            # Only differences that the rounding of the table removes were restored.
            assert values == pytest.approx(episodes[name][agent], abs=5e-7)


def test_operant_chamber_with_time_outs_as_ties(episodes: dict[str, Groups]) -> None:
    groups = tied_time_outs(episodes["operant-chamber"])
    assert kruskal_wallis(groups).h == pytest.approx(475.681, abs=0.01)
    results = {(pair.first, pair.second): pair for pair in dunn(groups)}
    for pair, (_, z) in OPERANT.items():
        assert results[pair].z == pytest.approx(z, abs=1.5e-3), pair
    assert results[R, H].p_bonferroni == pytest.approx(2e-9, rel=0.1)


def made_up() -> Groups:
    """Twelve different values for 111 episodes, by plain arithmetic and exact in binary."""
    sizes = enumerate((23, 41, 17, 30))
    return {f"agent {n}": [(37 * i * i + 11 * i) % 9 / 4 + n / 4 for i in range(size)] for n, size in sizes}


def test_kruskal_wallis_as_r_gives_it(episodes: dict[str, Groups]) -> None:
    foraging, operant = episodes["foraging"], episodes["operant-chamber"]
    groups = {
        "foraging": foraging,
        "foraging, as doubles": foraging_doubles(foraging),
        "operant": operant,
        "operant, as doubles": operant_doubles(operant),
        "operant, time-outs tied": tied_time_outs(operant),
        "made up": made_up(),
    }
    for name, (h, df, p) in KRUSKAL_OF_R.items():
        results = kruskal_wallis(groups[name], "r")
        assert (results.h, results.df) == (pytest.approx(h, abs=1e-9), df), name
        assert results.p == pytest.approx(p, rel=1e-9), name
        if name != "operant, as doubles":  # the only ones in which R counts ties among values it ranks apart
            assert kruskal_wallis(groups[name]) == results


def test_dunn_as_r_gives_it() -> None:
    results = {(pair.first, pair.second): pair[2:] for pair in dunn(made_up())}
    assert results.keys() == DUNN_OF_R.keys()
    for pair, numbers in DUNN_OF_R.items():
        assert results[pair] == pytest.approx(numbers, rel=1e-9), pair


def test_the_testbed_as_lme4_fits_it(spec: Path) -> None:
    played = [row for row in rows(spec / "reference-results.csv") if not row["agent"].startswith("ppo")]
    fit = fit_crossed(
        [row["pass"] == "1" for row in played],
        {name: [row[name] for row in played] for name in ("agent", "level")},
        [row["task"].rpartition("-")[0] for row in played],
        references={"agent": "random", "level": "1"},
    )
    assert (fit.episodes, fit.tasks) == (4500, 300)
    assert {each.name for each in fit.effects} == TESTBED_OF_R.keys()
    for each in fit.effects:
        assert (each.estimate, each.error) == pytest.approx(TESTBED_OF_R[each.name], abs=5e-4), each.name
    assert fit.spreads == pytest.approx(SPREADS_OF_R, abs=2e-4)
    assert fit.log_likelihood == pytest.approx(LIKELIHOOD_OF_R, abs=0.01)


def test_every_mistake_of_the_fact_sheet_is_found(spec: Path) -> None:
    claims = {claim.about: claim for claim in all_claims(spec)}
    held = {about for about, claim in claims.items() if claim.holds}
    assert held == {"foraging, Kruskal-Wallis", "place of dreamer-v3 among 64", "place of heuristic among 64"}
    false_claims = {about: claim for about, claim in claims.items() if not claim.holds}
    assert false_claims["foraging, heuristic against PPO, unadjusted p (table 4)"].computed == "1.9e-14"
    assert false_claims["operant chamber, degrees of freedom"].computed == "5"
    kruskal = false_claims["operant chamber, Kruskal-Wallis"]
    assert kruskal.computed == "H = 398.79"
    assert "400.15" in kruskal.why
    bookkeeping = false_claims["operant chamber, heuristic against random, Bonferroni p"]
    assert (bookkeeping.published, bookkeeping.computed) == ("0.36 (not significant)", "2e-09 with time-outs as ties")
    children = false_claims["testbed, children overall"]
    assert children.computed == "0.559"
    assert "gives 0.600" in children.why
    assert false_claims["place of random among 64"].computed == "61"
    assert false_claims["place of ppo-as-published among 64"].computed == "62"
    assert "21.9" in false_claims["testbed, ironbar and Trrrrr against random"].computed
    assert "408 of 775" in false_claims["testbed, task names of ppo-as-published"].computed


def test_the_relabelled_rows_carry_the_right_names(spec: Path) -> None:
    (claim,) = ppo_claims(rows(spec / "reference-results.csv"), "ppo-relabelled")
    assert claim.holds


def test_pass_flags_read_as_scores_explain_the_childrens_published_rates(spec: Path) -> None:
    """Pass flags read as scores explain the published rate of every level."""
    tasks = rows(spec / "reference-children-tasks.csv")
    rates_published = published.level_rates()["children-as-published"].rates
    for level in published.LEVELS:
        own = [(float(row["pass_rate"]), float(row["pass_mark"])) for row in tasks if row["level"] == level]
        flags = [1.0 if mark <= 0 else rate if mark <= 1 else 0.0 for rate, mark in own]
        mistaken = (sum(rate for rate, _ in own) + sum(flags)) / (2 * len(own))
        assert mistaken == pytest.approx(rates_published[level], abs=2e-4), level


def test_the_bundled_tables_are_those_of_the_reference(spec: Path) -> None:
    theirs = {row["agent"]: row for row in rows(spec / "reference-levels.csv")}
    assert published.level_rates().keys() == theirs.keys()
    for agent, ours in published.level_rates().items():
        assert ours.overall == float(theirs[agent]["overall"])
        assert list(ours.rates.values()) == [float(theirs[agent][f"L{level}"]) for level in range(1, 11)]
        assert ours.source in published.SOURCES
    episodes = rows(spec / "reference-episodes.csv")
    for each in published.experiments():
        values = [
            float(row["reward"])
            for row in episodes
            if (row["experiment"], row["agent"]) == (each.experiment, each.agent)
        ]
        assert (each.episodes, each.mean) == (len(values), pytest.approx(sum(values) / len(values), abs=1e-4))


def test_published_agents_get_their_places_among_the_entrants() -> None:
    assert len(published.leaderboard()) == 64
    assert [each.agent for each in published.leaderboard()[:2]] == ["Trrrrr", "ironbar"]
    for agent, place in (("Trrrrr", 1), ("dreamer-v3", 25), ("heuristic", 27), ("random", 61)):
        rate = published.level_rates()[agent].overall
        results = published.place_among_entrants(wilson(round(900 * rate), 900))
        assert results.place == place
        assert results.best <= place <= results.worst
    assert published.place_among_entrants(Interval(1.0, 1.0, 1.0)).place == 1
    assert published.place_among_entrants(Interval(0.0, 0.0, 0.0)).place == 65


def test_reports_show_the_chosen_published_agents() -> None:
    assert {each.name for each in published.shown()} == {
        *("random", "heuristic", "PPO", "Dreamer-v3", "ironbar", "Trrrrr", "children"),
    }
    interval = published.level_rates()["heuristic"].interval("1")
    # As wide as that of 45 episodes: variants of a task are alike.
    assert (interval.low, interval.high) == pytest.approx(wilson_of(interval.value, 45)[1:])
