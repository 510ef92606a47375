import type { ConnectError } from '@connectrpc/connect'
import type { RoomFact } from '@parley/contracts/internal'
import type { OutgoingEvent } from '@parley/events'
import type { HeldFacts } from '../../store/fact-lines.ts'
import type { HeldLog } from '../../store/held-log.ts'
import type { Message, WrittenPost } from './message.ts'

/** `signal` fires when the caller has gone away; `traceparent` is set when the command begins to wait. */
type Waiting = { signal: AbortSignal; traceparent?: string }

export type PostCommand = Waiting & { kind: 'post'; message: Message }

export type ChangeCommand = Waiting & {
  kind: 'change'
  /**
   * Makes the change and returns the events for the next places. Refuses the change by throwing a ConnectError before
   * writing anything.
   */
  change: (log: HeldLog) => Promise<readonly OutgoingEvent[]>
  /**
   * Makes the change in one statement without the lock, if that is still possible, and returns its outbox entry, which
   * has one place. Refuses it as `change` does. Undefined when nothing was written.
   */
  changeAtOnce?: () => Promise<readonly bigint[] | undefined>
}

export type FactsCommand = Waiting & { kind: 'facts'; facts: readonly RoomFact[] }

export type RoomCommand = PostCommand | ChangeCommand | FactsCommand

/** How many places a change took; 0 if there was nothing to change. */
export type ChangeOutcome = { kind: 'changed'; places: number } | { kind: 'refused'; error: ConnectError }

/** The state after applying facts and the number of new ones; or that they are inconsistent and none was applied. */
export type FactsOutcome = ({ kind: 'held'; applied: number } & HeldFacts) | { kind: 'refused'; error: ConnectError }

export type Outcome = WrittenPost | ChangeOutcome | FactsOutcome
