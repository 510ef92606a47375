import { isDatabaseUnavailable } from '@parley/postgres'
import { KeyedBatcher } from '@parley/runtime'
import { currentTraceparent, isRecording, withSpan } from '@parley/telemetry'
import { callCanceled, roomBusy } from '../../errors.ts'
import type { PostWriteOutcome } from './message.ts'
import type {
  ChangeCommand,
  ChangeOutcome,
  FactsCommand,
  FactsOutcome,
  Outcome,
  PostCommand,
  RoomCommand,
} from './room-command.ts'

export type WriteBatch = (roomId: string, commands: readonly RoomCommand[]) => Promise<(Outcome | Error)[]>

const postsPerBatch = 64
/** A change needs more round trips than a post, so it counts as four posts. */
const weightOfChange = 4
const maxWaiting = 2_048

/**
 * Writes everything into room logs except erasures. It runs at most one statement or transaction per room at a time;
 * commands that arrive meanwhile form the next batch. A busy room thus uses one connection, and few, large batches lock
 * its row.
 */
export class RoomWriter {
  readonly #batches: KeyedBatcher<RoomCommand, Outcome>

  constructor(run: WriteBatch) {
    this.#batches = new KeyedBatcher({
      run: (roomId, commands) =>
        isRecording() ? withWriteSpan(commands, () => run(roomId, commands)) : run(roomId, commands),
      maxWeight: postsPerBatch,
      weight: ({ kind }) => (kind === 'change' ? weightOfChange : 1),
      // Facts come first, because they may remove somebody's access.
      isUrgent: ({ kind }) => kind === 'facts',
      refusal: ({ signal }) => (signal.aborted ? callCanceled() : undefined),
      ...{ maxWaiting, busy: roomBusy },
      retryIndividually: (error) => !isDatabaseUnavailable(error),
    })
  }

  /**
   * Resolves when the command is committed or refused. Rejects if the call was canceled, the queue is full or the write
   * failed.
   */
  submit(roomId: string, command: PostCommand): Promise<PostWriteOutcome>
  submit(roomId: string, command: ChangeCommand): Promise<ChangeOutcome>
  submit(roomId: string, command: FactsCommand): Promise<FactsOutcome>
  submit(roomId: string, command: RoomCommand): Promise<Outcome> {
    const traceparent = currentTraceparent()
    return this.#batches.submit(roomId, traceparent === '' ? command : { ...command, traceparent })
  }
}

function withWriteSpan<T>(commands: readonly RoomCommand[], write: () => Promise<T>): Promise<T> {
  const joined = commands.flatMap(({ traceparent }) => traceparent ?? [])
  if (joined.length === 0) return write()
  return withSpan('write room log', { joined, attributes: { 'parley.command.count': commands.length } }, write)
}
