import type { ConnectError } from '@connectrpc/connect'
import type { RoomFact } from '@parley/contracts/internal'
import type { OutgoingEvent } from '@parley/events'
import type { HeldFacts } from '../../store/facts.ts'
import type { LockedLog } from '../../store/locked-log.ts'
import type { Message, PostWriteOutcome } from './message.ts'

/** `signal` is aborted when the call ends; `RoomWriter.submit` sets `traceparent`. */
type Submitted = { signal: AbortSignal; traceparent?: string }

export type PostCommand = Submitted & { kind: 'post'; message: Message }

export type ChangeCommand = Submitted & {
  kind: 'change'
  /**
   * Writes the change and returns the events that take the next places. To refuse it, throws a ConnectError before
   * writing anything.
   */
  change: (log: LockedLog) => Promise<readonly OutgoingEvent[]>
  /**
   * Writes the change in one statement instead of a transaction, and returns the id of the outbox entry of its event.
   * Returns undefined, without writing anything, if one statement is not enough. To refuse the change, throws a
   * ConnectError.
   */
  changeInOneStatement?: () => Promise<readonly bigint[] | undefined>
}

export type FactsCommand = Submitted & { kind: 'facts'; facts: readonly RoomFact[] }

export type RoomCommand = PostCommand | ChangeCommand | FactsCommand

export type ChangeOutcome = { kind: 'changed'; places: number } | { kind: 'refused'; error: ConnectError }

export type FactsOutcome = ({ kind: 'stored'; applied: number } & HeldFacts) | { kind: 'refused'; error: ConnectError }

export type Outcome = PostWriteOutcome | ChangeOutcome | FactsOutcome
