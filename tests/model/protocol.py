"""The protocol of docs/delivery.md as a state machine that can be explored completely.

What is modelled: one partition with two records and a transaction marker behind them; a Kafka group that hands the
partition to one of two workers, which learn of it late; a MySQL primary and a replica that lags; one offset row; the
batch transaction with its compare-and-set; claims; the table of what to do when an outcome is unknown; an operator.
A worker that learns late stands for a paused ("zombie") process too. While a batch is written, or waits to be
written again, the worker reads on and learns of rebalances: the batch that it loses in the middle of its transaction
ends without it.

What can go wrong is a fault: a rebalance, a crash, a lost connection (with and without the COMMIT sent), a deadlock
or lock wait, a fail-over to the lagging replica (announced, hidden by a proxy, or with the old primary still writable),
an operator who moves the offset with or without a new token or deletes the row, and a stale message.

What is checked in every state: each database holds each record exactly as often as its offset row says (`balance`),
no two workers hold one token, and the start is decided once: no row is made again beyond where the first one began.
Whether the end can still be reached is for the explorer to say.

What is left out: the order between partitions, start policies other than a fixed offset, dead letters, recreated
topics.
"""

from typing import Iterator, NamedTuple, Optional

RECORDS = (0, 1)  # offset 2 is a transaction marker
LOG_END = 3
LARGEST_BATCH = 2
START_POLICY = 0  # where a partition starts whose start nobody knows
WORKERS = (0, 1)
NOBODY = -1


class Protocol(NamedTuple):
    """What a worker does; the defaults are the protocol, every other value breaks it somewhere."""

    compares_offset: bool = True  # the compare-and-set asks for the expected next_offset
    compares_token: bool = True  # ... and for the own token
    random_token: bool = True  # False: a claim counts the stored token up by one
    after_lost_reply: str = "read"  # the row; or "guess committed", "guess not committed"
    locks_when_reading: bool = True  # FOR UPDATE: waits for a transaction that nobody owns any more
    transaction: str = "one"  # or "rows first", "offsets first": two transactions
    drops_stale: bool = True
    rewind: str = "assign"  # or "seek": what was fetched before still comes
    rolls_back_after_1205: bool = True
    after_1213: str = "transaction"  # or "statement": what is run again
    starts_from_row: bool = True  # False: every claim starts at 0
    start_in_row: bool = True  # False: a worker knows only where its own first claim began
    claims_again: bool = True  # a taken partition that Kafka still gives us
    checks_when_idle: bool = True


class Row(NamedTuple):
    next: int
    token: int
    start: int  # where it was made


class Database(NamedTuple):
    """What a replica copies. `balance`: for each record, how often it was applied beyond what the row says."""

    row: Optional[Row]
    balance: tuple


class Transaction(NamedTuple):
    """Holds the lock of the offset row. Nobody's: its session is gone and the server has not noticed."""

    holder: int
    row: Row
    records: tuple
    commit_was_sent: bool


class Server(NamedTuple):
    data: Database
    open: Optional[Transaction]


class Owned(NamedTuple):
    """A claimed partition: the batch [begin, end) that is written, and what was read behind it, up to position.

    `horizon`: fetched before a seek.
    """

    token: int
    begin: int
    end: int
    records: tuple
    position: int
    read: tuple
    horizon: int


CLAIMING = "claiming"
TAKEN = "taken"


class Worker(NamedTuple):
    is_up: bool
    session: Optional[int]  # index of a server
    assignment: str  # what Kafka told it: "none", "given", "revoked" (it does not know yet)
    part: object  # None, CLAIMING, TAKEN or Owned
    phase: str  # "reading", "pending" (a batch is built), "open" (in its transaction), "half" (broken protocols),
    # "left" (in the transaction of a batch that was lost: nobody asks what becomes of it)
    doubt: str  # "none"; "lost", "refused", "idle": why it must read its row before anything else
    start: Optional[int]  # where it makes the row again when that is lost; None before its first claim


class State(NamedTuple):
    owner: int  # whom the group gave the partition
    primary: int
    servers: tuple  # the dead one is None
    replica: Optional[Database]  # how far it got before it began to lag
    workers: tuple
    faults: tuple  # what may still happen: in all, and of each kind
    first_start: Optional[int]  # of the first row ever made; no worker sees it, it is there for `violation`


class Step(NamedTuple):
    what: str
    state: State
    is_fault: bool = False


FAULT_KINDS = {
    "rebalance": 2,
    "connection": 2,
    "crash": 1,
    "deadlock": 1,
    "fail-over": 1,
    "operator": 1,
    "hand edit": 1,
    "forget": 1,
    "stale": 1,
}
OPERATOR_KINDS = ("operator", "hand edit", "forget")
_KIND_INDEX = {kind: at for at, kind in enumerate(FAULT_KINDS, start=1)}

NEW_WORKER = Worker(True, None, "none", None, "reading", "none", None)
DEAD_WORKER = NEW_WORKER._replace(is_up=False)


def first_state(faults: int, kinds: tuple) -> State:
    """Nothing has happened yet; at most so many faults will, and only of these kinds."""
    empty = Server(Database(None, tuple(0 for _ in RECORDS)), None)
    budget = (faults, *(most if kind in kinds else 0 for kind, most in FAULT_KINDS.items()))
    return State(NOBODY, 0, (empty,), None, tuple(NEW_WORKER for _ in WORKERS), budget, None)


def is_finished(state: State) -> bool:
    row = state.servers[state.primary].data.row
    return row is not None and row.next == LOG_END


def violation(state: State) -> Optional[str]:
    """What is wrong in this state, if anything."""
    # Between the two transactions of a broken protocol the books may be open.
    if not any(worker.phase == "half" for worker in state.workers):
        for server in state.servers:
            for record, surplus in zip(RECORDS, server.data.balance if server else ()):
                if surplus > 0:
                    return f"record {record} is applied once too often"
                if surplus < 0:
                    return f"record {record} is lost"
    tokens = [worker.part.token for worker in state.workers if isinstance(worker.part, Owned)]
    if len(tokens) != len(set(tokens)):
        return f"two workers hold token {tokens[0]}"
    for server in state.servers:
        row = server.data.row if server else None
        if row is not None and row.start > state.first_start:
            return f"the start is decided again, and record {state.first_start} is lost"
    return None


# ---- Small changes of a state ----


def replaced(items: tuple, at: int, item) -> tuple:
    return items[:at] + (item,) + items[at + 1 :]


def with_worker(state: State, w: int, **changes) -> State:
    return state._replace(workers=replaced(state.workers, w, state.workers[w]._replace(**changes)))


def with_server(state: State, at: int, server: Optional[Server]) -> State:
    return state._replace(servers=replaced(state.servers, at, server))


def spend(state: State, kind: str) -> Optional[State]:
    """The state with one fault of this kind less to come; None when none is left."""
    at, left = _KIND_INDEX[kind], state.faults
    if left[0] == 0 or left[at] == 0:
        return None
    return state._replace(faults=(left[0] - 1, *left[1:at], left[at] - 1, *left[at + 1 :]))


def committed(data: Database, row: Optional[Row], records: tuple) -> Database:
    """The database after a commit of these records that leaves this offset row."""
    balance = list(data.balance)
    for record in records:
        balance[record] += 1
    if data.row is not None and row is not None:
        for record in RECORDS:
            if data.row.next <= record < row.next:
                balance[record] -= 1
    return Database(row, tuple(balance))


def abandoned(server: Server, w: int, commit_was_sent: bool) -> Server:
    """The server after worker `w` is gone: its open transaction stays until the server notices."""
    if server.open is None or server.open.holder != w:
        return server
    return server._replace(open=server.open._replace(holder=NOBODY, commit_was_sent=commit_was_sent))


def disconnected(worker: Worker) -> Worker:
    """The worker after its session is gone: a batch waits, and what it did is to be read."""
    phase = {"open": "pending", "half": "pending", "left": "reading"}.get(worker.phase, worker.phase)
    return worker._replace(session=None, phase=phase, doubt="lost" if isinstance(worker.part, Owned) else "none")


def token_for(state: State, row: Optional[Row], protocol: Protocol) -> int:
    if not protocol.random_token:
        return (row.token if row else 0) + 1
    used = {0}
    for server in filter(None, state.servers):
        used.update(x.token for x in (server.data.row, server.open and server.open.row) if x)
    if state.replica and state.replica.row:
        used.add(state.replica.row.token)
    used.update(worker.part.token for worker in state.workers if isinstance(worker.part, Owned))
    # Random tokens never meet again; the smallest unused number stands for one.
    return next(token for token in range(1, len(used) + 1) if token not in used)


# ---- Kafka, the servers, the operator ----


def kafka_steps(state: State) -> Iterator[Step]:
    for w in WORKERS:
        if w == state.owner or not state.workers[w].is_up:
            continue
        if state.owner == NOBODY:
            yield Step(f"Kafka gives the partition to worker {w}", state._replace(owner=w))
            continue
        after = spend(state, "rebalance")
        if after:
            if after.workers[after.owner].assignment == "given":
                after = with_worker(after, after.owner, assignment="revoked")
            what = f"REBALANCE: Kafka gives the partition to worker {w}; worker {state.owner} does not know yet"
            yield Step(what, after._replace(owner=w), True)


def server_steps(state: State) -> Iterator[Step]:
    for at, server in enumerate(state.servers):
        if server is None or server.open is None or server.open.holder != NOBODY:
            continue
        rolled_back = server._replace(open=None)
        yield Step("the server rolls back the transaction of the lost session", with_server(state, at, rolled_back))
        if server.open.commit_was_sent:
            data = committed(server.data, server.open.row, server.open.records)
            yield Step("the server commits for the lost session", with_server(state, at, Server(data, None)))
    if state.primary == 0:
        yield from fail_over_steps(state)
    elif state.servers[0] is not None:
        workers = tuple(disconnected(worker) if worker.session == 0 else worker for worker in state.workers)
        yield Step("the old primary ends", with_server(state, 0, None)._replace(workers=workers))


def fail_over_steps(state: State) -> Iterator[Step]:
    primary = state.servers[0]
    if state.replica is None:
        if state.faults[0] and state.faults[_KIND_INDEX["fail-over"]]:
            # No fault in itself, and no progress either.
            what = f"the replica stays behind at {row_text(primary.data.row)}"
            yield Step(what, state._replace(replica=primary.data), True)
        return
    after = spend(state, "fail-over")
    if after is None:
        return
    promoted = Server(state.replica, None)
    after = after._replace(primary=1, replica=None)
    back = f"the database goes back to {row_text(promoted.data.row)}"
    cut = tuple(disconnected(worker) if worker.session == 0 else worker for worker in state.workers)
    yield Step(f"FAIL-OVER: {back}", after._replace(servers=(None, promoted), workers=cut), True)
    hidden = tuple(
        worker._replace(session=1) if worker.session == 0 and worker.phase not in ("open", "left") else cut[w]
        for w, worker in enumerate(state.workers)
    )
    if hidden != cut:
        yield Step(
            f"FAIL-OVER that a proxy hides: {back}", after._replace(servers=(None, promoted), workers=hidden), True
        )
    if any(worker.session == 0 for worker in state.workers):
        yield Step(
            f"FAIL-OVER, SPLIT BRAIN: {back}, the old primary goes on",
            after._replace(servers=(primary, promoted)),
            True,
        )


def row_text(row: Optional[Row]) -> str:
    return f"next {row.next}, token {row.token}" if row else "no row"


def operator_steps(state: State, protocol: Protocol) -> Iterator[Step]:
    at = state.primary
    server = state.servers[at]
    row = server.data.row
    if row is None or server.open is not None:
        return
    edits = [("forget", None, "OPERATOR deletes the row")]
    for to in (0, 1):
        if to != row.next:
            moved = row._replace(next=to)
            fenced = moved._replace(token=token_for(state, row, protocol))
            edits.append(("operator", fenced, f"OPERATOR moves next from {row.next} to {to}"))
            edits.append(("hand edit", moved, f"HAND EDIT of next from {row.next} to {to}, same token"))
    for kind, new_row, what in edits:
        after = spend(state, kind)
        if after:
            yield Step(what, with_server(after, at, server._replace(data=server.data._replace(row=new_row))), True)


# ---- A worker ----


def worker_steps(state: State, w: int, protocol: Protocol) -> Iterator[Step]:
    worker = state.workers[w]
    if not worker.is_up:
        yield Step(f"worker {w} starts again", with_worker(state, w, is_up=True))
        return
    yield from mishap_steps(state, w, protocol)
    if worker.session is None:
        yield connect_step(state, w)
    yield from group_steps(state, w, protocol)
    if worker.phase == "left":
        yield from left_steps(state, w)
    elif worker.part == CLAIMING and worker.session is not None:
        yield from claim_steps(state, w, protocol)
    if isinstance(worker.part, Owned):
        yield from poll_steps(state, w, protocol)
        if worker.doubt != "none":
            yield from settle_steps(state, w, protocol)
        elif worker.phase == "reading":
            yield from batch_steps(state, w, protocol)
        elif worker.session is not None:
            yield from write_steps(state, w, protocol)


def mishap_steps(state: State, w: int, protocol: Protocol) -> Iterator[Step]:
    worker = state.workers[w]
    is_open = worker.phase in ("open", "left")
    for commit_was_sent in (False, True) if is_open else (False,):
        when = ", COMMIT sent" if commit_was_sent else ""
        after = spend(state, "crash")
        if after:
            after = left_alone(after, w, commit_was_sent)._replace(workers=replaced(after.workers, w, DEAD_WORKER))
            if after.owner == w:
                after = after._replace(owner=NOBODY)
            yield Step(f"worker {w} CRASHES{when}", after, True)
        after = spend(state, "connection")
        if after and worker.session is not None:
            after = left_alone(after, w, commit_was_sent)
            after = after._replace(workers=replaced(after.workers, w, disconnected(worker)))
            yield Step(f"worker {w} LOSES its connection{when}", after, True)
    after = spend(state, "deadlock")
    if after and worker.phase == "open":
        yield from refused_steps(after, w, protocol)


def left_alone(state: State, w: int, commit_was_sent: bool) -> State:
    at = state.workers[w].session
    if at is None:
        return state
    return with_server(state, at, abandoned(state.servers[at], w, commit_was_sent))


def refused_steps(state: State, w: int, protocol: Protocol) -> Iterator[Step]:
    """The server refuses the row statement that follows the compare-and-set."""
    worker = state.workers[w]
    at, part = worker.session, worker.part
    server = state.servers[at]
    rolled_back = with_worker(with_server(state, at, server._replace(open=None)), w, phase="pending")
    if protocol.after_1213 == "transaction":
        yield Step(f"worker {w} gets 1213: all is rolled back, the whole transaction runs again", rolled_back, True)
    else:
        data = committed(server.data, server.data.row, part.records)
        after = with_server(state, at, Server(data, None))
        done = part._replace(begin=part.end, records=())
        yield Step(
            f"worker {w} gets 1213, repeats the row statement alone and commits",
            with_worker(after, w, part=done, phase="reading"),
            True,
        )
    if not protocol.rolls_back_after_1205:
        data = committed(server.data, server.open.row, ())
        after = with_server(state, at, Server(data, None))
        yield Step(
            f"worker {w} gets 1205 and starts again: START TRANSACTION commits the offset that is still open",
            with_worker(after, w, phase="pending"),
            True,
        )


def connect_step(state: State, w: int) -> Step:
    after = with_worker(state, w, session=state.primary)
    return Step(f"worker {w} connects to server {state.primary}", after)


def group_steps(state: State, w: int, protocol: Protocol) -> Iterator[Step]:
    worker = state.workers[w]
    if worker.assignment == "revoked":
        phase = "left" if worker.phase in ("open", "left") else "reading"
        after = with_worker(state, w, assignment="none", part=None, phase=phase, doubt="none")
        yield Step(f"worker {w} learns that it lost the partition", after)
    elif worker.assignment == "none" and state.owner == w:
        yield Step(
            f"worker {w} learns that it has the partition", with_worker(state, w, assignment="given", part=CLAIMING)
        )
    elif worker.assignment == "given" and worker.part == TAKEN and protocol.claims_again:
        yield Step(
            f"worker {w} claims again, as Kafka still gives it the partition", with_worker(state, w, part=CLAIMING)
        )


def left_steps(state: State, w: int) -> Iterator[Step]:
    """The end of a transaction whose partition was taken back in the middle of it. The session takes one statement at
    a time: until then the worker claims nothing."""
    at = state.workers[w].session
    server = state.servers[at]
    data = committed(server.data, server.open.row, server.open.records)
    after = with_server(state, at, Server(data, None))
    yield Step(f"worker {w} commits what it no longer owns", with_worker(after, w, phase="reading"))
    after = with_server(state, at, server._replace(open=None))
    yield Step(f"worker {w} rolls back what it no longer owns", with_worker(after, w, phase="reading"))


def claim_steps(state: State, w: int, protocol: Protocol) -> Iterator[Step]:
    worker = state.workers[w]
    server = state.servers[worker.session]
    if server.open is not None:
        return
    row = server.data.row
    token = token_for(state, row, protocol)
    if row is not None:
        claimed = row._replace(token=token)
    else:
        made_at = START_POLICY if worker.start is None else worker.start
        claimed = Row(made_at, token, made_at)
        if state.first_start is None:
            state = state._replace(first_start=made_at)
    begin = claimed.next if protocol.starts_from_row else 0
    known = claimed.start
    if not protocol.start_in_row:
        known = begin if worker.start is None else worker.start
    part = Owned(claimed.token, begin, begin, (), begin, (), 0)
    after = with_server(state, worker.session, server._replace(data=committed(server.data, claimed, ())))
    after = with_worker(after, w, part=part, phase="reading", doubt="none", start=known)
    yield Step(f"worker {w} {'claims' if row else 'makes the row and claims'}: {row_text(claimed)}", after)
    after = spend(state, "connection")
    if after:
        orphan = Transaction(NOBODY, claimed, (), True)
        after = with_worker(with_server(after, worker.session, server._replace(open=orphan)), w, session=None)
        yield Step(f"worker {w} LOSES its connection, COMMIT of its claim sent", after, True)


def poll_steps(state: State, w: int, protocol: Protocol) -> Iterator[Step]:
    part = state.workers[w].part
    to_come = [record for record in RECORDS if record >= part.position]
    if len(part.read) < LARGEST_BATCH:
        if to_come:
            yield Step(
                f"worker {w} polls record {to_come[0]}", with_worker(state, w, part=with_record(part, to_come[0]))
            )
        elif part.position < LOG_END:
            yield Step(
                f"worker {w} reaches the end at {LOG_END}", with_worker(state, w, part=part._replace(position=LOG_END))
            )
        yield from stale_steps(state, w, protocol)


def batch_steps(state: State, w: int, protocol: Protocol) -> Iterator[Step]:
    worker = state.workers[w]
    part = worker.part
    if part.position > part.begin:
        part = part._replace(end=part.position, records=part.read, read=())
        yield Step(
            f"worker {w} builds the batch {batch_text(part)}", with_worker(state, w, part=part, phase="pending")
        )
    elif protocol.checks_when_idle and worker.session is not None:
        server = state.servers[worker.session]
        # Without a difference the check changes nothing.
        row = server.data.row
        if row is None or (row.next, row.token) != (part.begin, part.token):
            yield Step(f"worker {w} is idle and looks at its row", with_worker(state, w, doubt="idle"))


def with_record(part: Owned, record: int) -> Owned:
    return part._replace(position=max(part.position, record + 1), read=part.read + (record,))


def batch_text(part: Owned) -> str:
    return f"[{part.begin},{part.end}) with records {list(part.records)}"


def stale_steps(state: State, w: int, protocol: Protocol) -> Iterator[Step]:
    """Messages from before: below the position, or fetched before a seek. The protocol drops both."""
    part = state.workers[w].part
    after = spend(state, "stale")
    if after is None:
        return
    for record in RECORDS:
        if record < part.position and not protocol.drops_stale:
            yield Step(
                f"worker {w} gets record {record} AGAIN", with_worker(after, w, part=with_record(part, record)), True
            )
        if part.position < record < part.horizon:
            what = f"worker {w} gets record {record}, FETCHED BEFORE the seek"
            yield Step(what, with_worker(after, w, part=with_record(part, record)), True)


def write_steps(state: State, w: int, protocol: Protocol) -> Iterator[Step]:
    worker = state.workers[w]
    server = state.servers[worker.session]
    if worker.phase == "open":
        data = committed(server.data, server.open.row, server.open.records)
        after = with_server(state, worker.session, Server(data, None))
        yield Step(f"worker {w} commits {batch_text(worker.part)}", written(after, w))
    elif worker.phase == "half":
        yield from second_half_steps(state, w, protocol)
    elif server.open is None:
        if protocol.transaction == "rows first":
            data = committed(server.data, server.data.row, worker.part.records)
            after = with_server(state, worker.session, Server(data, None))
            yield Step(f"worker {w} writes and commits the rows alone", with_worker(after, w, phase="half"))
        else:
            yield from compare_and_set_steps(state, w, protocol)


def written(state: State, w: int) -> State:
    part = state.workers[w].part
    return with_worker(state, w, part=part._replace(begin=part.end, records=()), phase="reading")


def row_matches(row: Optional[Row], part: Owned, protocol: Protocol) -> bool:
    if row is None:
        return False
    return (not protocol.compares_offset or row.next == part.begin) and (
        not protocol.compares_token or row.token == part.token
    )


def compare_and_set_steps(state: State, w: int, protocol: Protocol) -> Iterator[Step]:
    worker = state.workers[w]
    part = worker.part
    server = state.servers[worker.session]
    row = server.data.row
    if not row_matches(row, part, protocol):
        yield Step(
            f"worker {w}: the compare-and-set finds no match ({row_text(row)}); ROLLBACK",
            with_worker(state, w, doubt="refused"),
        )
        return
    moved = row._replace(next=part.end)
    if protocol.transaction == "offsets first":
        after = with_server(state, worker.session, server._replace(data=committed(server.data, moved, ())))
        yield Step(f"worker {w} commits the offset {moved.next} alone", with_worker(after, w, phase="half"))
        return
    after = with_server(state, worker.session, server._replace(open=Transaction(w, moved, part.records, False)))
    yield Step(
        f"worker {w} opens its transaction: offset and rows of {batch_text(part)}", with_worker(after, w, phase="open")
    )


def second_half_steps(state: State, w: int, protocol: Protocol) -> Iterator[Step]:
    worker = state.workers[w]
    part = worker.part
    server = state.servers[worker.session]
    if server.open is not None:
        return
    if protocol.transaction == "offsets first":
        data = committed(server.data, server.data.row, part.records)
        yield Step(
            f"worker {w} writes and commits the rows",
            written(with_server(state, worker.session, Server(data, None)), w),
        )
    elif row_matches(server.data.row, part, protocol):
        data = committed(server.data, server.data.row._replace(next=part.end), ())
        yield Step(f"worker {w} commits the offset", written(with_server(state, worker.session, Server(data, None)), w))
    else:
        yield Step(
            f"worker {w}: the compare-and-set finds no match", with_worker(state, w, phase="pending", doubt="refused")
        )


def settle_steps(state: State, w: int, protocol: Protocol) -> Iterator[Step]:
    """The one table for everything odd: decide by what the own row says."""
    worker = state.workers[w]
    part = worker.part
    if worker.session is None:
        return
    server = state.servers[worker.session]
    if worker.doubt == "lost" and protocol.after_lost_reply != "read":
        yield guess_step(state, w, protocol.after_lost_reply)
        return
    if server.open is not None and protocol.locks_when_reading:
        return
    row = server.data.row
    says = f"worker {w} reads its row ({row_text(row)}): "
    if row is None or row.token != part.token and protocol.compares_token:
        yield Step(says + "it was taken", with_worker(state, w, part=TAKEN, phase="reading", doubt="none"))
    elif worker.phase == "pending" and row.next == part.end:
        yield Step(says + "it committed", with_worker(written(state, w), w, doubt="none"))
    elif row.next == part.begin:
        yield Step(says + "it did not commit", with_worker(state, w, doubt="none"))
    else:
        horizon = max(part.horizon, part.position) if protocol.rewind == "seek" else 0
        part = Owned(part.token, row.next, row.next, (), row.next, (), horizon)
        yield Step(
            says + f"it moved, go on there by {protocol.rewind}",
            with_worker(state, w, part=part, phase="reading", doubt="none"),
        )


def guess_step(state: State, w: int, guess: str) -> Step:
    """Breaks the protocol: nothing is read. When the guess is refuted by a compare-and-set, the row is read."""
    worker = state.workers[w]
    row = state.servers[worker.session].data.row
    if worker.phase == "pending" and guess == "guess committed":
        return Step(f"worker {w} takes it for committed", with_worker(written(state, w), w, doubt="none"))
    return Step(f"worker {w} takes it for not committed ({row_text(row)})", with_worker(state, w, doubt="none"))


def steps(state: State, protocol: Protocol) -> Iterator[Step]:
    """All that can happen next."""
    yield from kafka_steps(state)
    yield from server_steps(state)
    yield from operator_steps(state, protocol)
    for w in WORKERS:
        yield from worker_steps(state, w, protocol)
