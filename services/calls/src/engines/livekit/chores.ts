import { periodically, type Periodic } from '@parley/runtime'
import type { Db } from '@parley/postgres'
import { tokenLifeMs } from '../../domain/limits.ts'
import { reportChoreGivenUp, reportMediaFailure } from '../../metrics.ts'
import { readMediaRoomName } from '../../domain/media-room.ts'
import {
  choresWritten,
  deleteChore,
  nextChoreMs,
  postponeChore,
  takeChores,
  type MediaChoreRow,
} from '../../store/media-chores.ts'
import { hasJoinedSince } from '../../store/participants.ts'
import type { Media } from './media-server.ts'

const choresAtOnce = 16
/** Longer than the media server may take. */
const takenForMs = 20_000
const pauseMs = 1_000
const shortestPauseMs = 100

type Needs = { db: Db; now: () => Date }

/** Tells the media server what it has to do, any process for all: at once after the commit, else when it is due. */
export class Chores implements AsyncDisposable {
  readonly #ctx: Needs
  readonly #media: Media
  readonly #polling: Periodic
  readonly #hearing: Disposable

  constructor(ctx: Needs, media: Media, { everyMs, signal }: { everyMs: number; signal: AbortSignal }) {
    this.#ctx = ctx
    this.#media = media
    const afterFailureMs = Math.min(everyMs, pauseMs)
    this.#polling = periodically({ name: 'media chores', everyMs, afterFailureMs, signal, run: () => this.#doAll() })
    this.#hearing = choresWritten.listen(ctx.db, () => this.#polling.wake())
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#hearing[Symbol.dispose]()
    await this.#polling[Symbol.asyncDispose]()
  }

  /** Answers after how many milliseconds the next chore is due. */
  async #doAll(): Promise<number> {
    for (let taken = choresAtOnce; taken === choresAtOnce;) {
      const chores = await takeChores(this.#ctx.db, takenForMs, choresAtOnce)
      await Promise.all(chores.map((chore) => this.#do(chore)))
      taken = chores.length
    }
    return Math.max((await nextChoreMs(this.#ctx.db)) ?? Infinity, shortestPauseMs)
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
      if (now().getTime() - createdAt.getTime() < tokenLifeMs) return postponeChore(db, id, pauseMs)
      reportChoreGivenUp(mediaRoom)
      await deleteChore(db, id)
    }
  }
}
