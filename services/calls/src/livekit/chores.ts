import { periodically } from '@parley/runtime'
import type { Context, Media } from '../context.ts'
import { tokenLifeMs } from '../domain/limits.ts'
import { reportChoreGivenUp, reportMediaFailure } from '../metrics.ts'
import { readMediaRoomName } from '../domain/media-room.ts'
import { deleteChore, postponeChore, takeChores, type MediaChoreRow } from '../store/media-chores.ts'
import { hasJoinedSince } from '../store/participants.ts'

const choresAtOnce = 16
/** Longer than the media server may take. */
const takenForMs = 20_000
const pauseMs = 1_000

/** Tells the media server what it has to do, any process for all: at once after `wake`, else at the next look. */
export class Chores implements AsyncDisposable {
  readonly #ctx: Pick<Context, 'db' | 'now'>
  readonly #media: Media
  readonly #polling: AsyncDisposable
  #round: Promise<void> = Promise.resolve()
  #isWaiting = false

  constructor(
    ctx: Pick<Context, 'db' | 'now'>,
    media: Media,
    { everyMs, signal }: { everyMs: number; signal: AbortSignal },
  ) {
    this.#ctx = ctx
    this.#media = media
    this.#polling = periodically({ name: 'media chores', everyMs, signal, run: () => this.#next() })
  }

  wake(): void {
    this.#next().catch((error: unknown) => reportMediaFailure(error, 'look for chores'))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#polling[Symbol.asyncDispose]()
    await this.#round.catch(() => undefined)
  }

  /** One round at a time, and one that waits for all who ask meanwhile. */
  #next(): Promise<void> {
    if (this.#isWaiting) return this.#round
    this.#isWaiting = true
    const round = this.#round
      .catch(() => undefined)
      .then(() => {
        this.#isWaiting = false
        return this.#doAll()
      })
    this.#round = round
    return round
  }

  async #doAll(): Promise<void> {
    for (let taken = choresAtOnce; taken === choresAtOnce;) {
      const now = this.#ctx.now()
      const chores = await takeChores(this.#ctx.db, now, new Date(now.getTime() + takenForMs), choresAtOnce)
      await Promise.all(chores.map((chore) => this.#do(chore)))
      taken = chores.length
    }
  }

  async #do({ id, mediaRoom, userId, createdAt }: MediaChoreRow): Promise<void> {
    const { db, now } = this.#ctx
    const { server } = this.#media
    const callId = readMediaRoomName(mediaRoom)?.callId ?? ''
    try {
      if (userId === null) await server.deleteRoom(mediaRoom)
      else if (!(await hasJoinedSince(db, { callId, userId }, createdAt)))
        await server.removeParticipant(mediaRoom, userId)
      await deleteChore(db, id)
    } catch (error) {
      reportMediaFailure(error, userId === null ? 'close a room' : 'remove a participant')
      const at = now().getTime()
      if (at - createdAt.getTime() < tokenLifeMs) return postponeChore(db, id, new Date(at + pauseMs))
      reportChoreGivenUp(mediaRoom)
      await deleteChore(db, id)
    }
  }
}
