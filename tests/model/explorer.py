"""Visits every state that a protocol can reach, nearest first, and says what is wrong with the shortest trace to it."""

from array import array
from typing import List, NamedTuple, Optional

from protocol import Protocol, State, is_finished, steps, violation


class Result(NamedTuple):
    states: int
    problem: Optional[str]  # None: the protocol holds
    trace: List[str]


class _Graph:
    """The states as numbers, in the order they were found. Only hashes are kept: full states would not fit."""

    def __init__(self) -> None:
        self.number_of = {}
        self.parent = array("q")
        self.choice = array("i")  # which of the parent's steps led here
        self.finished = bytearray()
        self.edge_from = array("I")  # steps that are no faults
        self.edge_to = array("I")

    def add(self, state, parent: int, choice: int) -> Optional[int]:
        """The number of a new state; None when it is known."""
        key = hash(state)
        if key in self.number_of:
            return None
        number = self.number_of[key] = len(self.parent)
        self.parent.append(parent)
        self.choice.append(choice)
        self.finished.append(is_finished(state))
        return number

    def trace(self, protocol: Protocol, start: State, number: int) -> List[str]:
        choices = []
        while number > 0:
            choices.append(self.choice[number])
            number = self.parent[number]
        state, lines = start, []
        for choice in reversed(choices):
            step = list(steps(state, protocol))[choice]
            lines.append(step.what)
            state = step.state
        return lines

    def first_stuck(self) -> Optional[int]:
        """A state from which no faultless path leads to the end; the nearest to the first state."""
        incoming = [[] for _ in self.parent]
        for start, end in zip(self.edge_from, self.edge_to):
            incoming[end].append(start)
        good = bytearray(self.finished)
        to_visit = [number for number, is_good in enumerate(good) if is_good]
        while to_visit:
            for before in incoming[to_visit.pop()]:
                if not good[before]:
                    good[before] = 1
                    to_visit.append(before)
        return next((number for number, is_good in enumerate(good) if not is_good), None)


def explore(protocol: Protocol, start: State) -> Result:
    """Every state reachable from `start`: a violation first, else a state from which the end is out of reach."""
    graph = _Graph()
    graph.add(start, -1, -1)
    frontier = [(0, start)]
    while frontier:
        found = []
        for number, state in frontier:
            for choice, step in enumerate(steps(state, protocol)):
                new = graph.add(step.state, number, choice)
                if new is not None:
                    problem = violation(step.state)
                    if problem:
                        return Result(len(graph.parent), problem, graph.trace(protocol, start, new))
                    found.append((new, step.state))
                if not step.is_fault:
                    graph.edge_from.append(number)
                    graph.edge_to.append(graph.number_of[hash(step.state)])
        frontier = found
    stuck = graph.first_stuck()
    if stuck is not None:
        return Result(len(graph.parent), "the end is out of reach", graph.trace(protocol, start, stuck))
    return Result(len(graph.parent), None, [])
