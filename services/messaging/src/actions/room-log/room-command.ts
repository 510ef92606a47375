import type { ConnectError } from '@connectrpc/connect'
import type { RoomFact } from '@parley/contracts/internal'
import type { OutgoingEvent } from '@parley/events'
import type { HeldFacts } from '../../store/fact-lines.ts'
import type { HeldLog } from '../../store/held-log.ts'
import type { Message, WrittenPost } from './message.ts'

/** `signal` fires when the caller has gone away. */
export type PostCommand = { kind: 'post'; message: Message; signal: AbortSignal }

export type ChangeCommand = {
  kind: 'change'
  /**
   * Makes the change and returns the events for the next places. To refuse the change it throws a ConnectError before
   * it writes anything.
   */
  change: (log: HeldLog) => Promise<readonly OutgoingEvent[]>
  signal: AbortSignal
}

export type FactsCommand = { kind: 'facts'; facts: readonly RoomFact[]; signal: AbortSignal }

export type RoomCommand = PostCommand | ChangeCommand | FactsCommand

/** How many places a change took; 0 if there was nothing to change. */
export type ChangeOutcome = { kind: 'changed'; places: number } | { kind: 'refused'; error: ConnectError }

/** The state after facts were offered, and how many were new; or that they are inconsistent, and none was applied. */
export type FactsOutcome = ({ kind: 'held'; applied: number } & HeldFacts) | { kind: 'refused'; error: ConnectError }

export type Outcome = WrittenPost | ChangeOutcome | FactsOutcome
