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

/** Number of posts with which a batch is full. A change needs more round trips, so it counts as four. */
const postsPerBatch = 64
const weightOfChange = 4
/** Maximum number of posts and changes that wait for the running batch of their room. */
const maxWaiting = 2_048

/**
 * Writes everything into room logs except erasures, which have transactions of their own. It runs at most one statement
 * or transaction per room at a time; commands that arrive during it form the next batch. A busy room thus uses one
 * connection, and its row is locked by few, large batches.
 */
export class RoomWriter {
  readonly #batches: KeyedBatcher<RoomCommand, Outcome>

  constructor(run: WriteBatch) {
    this.#batches = new KeyedBatcher({
      run: (roomId, commands) =>
        isRecording() ? withWriteSpan(commands, () => run(roomId, commands)) : run(roomId, commands),
      maxWeight: postsPerBatch,
      weight: ({ kind }) => (kind === 'change' ? weightOfChange : 1),
      // Facts are rare, and may remove somebody's access.
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

/** Records one span for all commands of a batch. It continues the trace of one command and links to the others. */
function withWriteSpan<T>(commands: readonly RoomCommand[], write: () => Promise<T>): Promise<T> {
  const joined = commands.flatMap(({ traceparent }) => traceparent ?? [])
  if (joined.length === 0) return write()
  return withSpan('write room log', { joined, attributes: { 'parley.command.count': commands.length } }, write)
}
