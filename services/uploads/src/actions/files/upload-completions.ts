import { FairSemaphore } from '@parley/runtime'
import { tooManyCompletions } from '../../errors.ts'
import type { AssetRow } from '../../store/assets.ts'
import type { UploadRow } from '../../store/uploads.ts'

/** A finished session and its file. */
export type Completed = { upload: UploadRow; asset: AssetRow }

type Made = Completed | undefined

const filesAtOnce = 4
const maxWaiting = 64

/**
 * Assembles files: each at most once at a time in a process, and few concurrently. A large file may take longer than a
 * call; a repeated call gets the result of the running work.
 */
export class UploadCompletions {
  readonly #making = new Map<string, Promise<Made>>()
  readonly #semaphore = new FairSemaphore({ atOnce: filesAtOnce, maxWaiting, refusal: tooManyCompletions })

  once(uploadId: string, make: () => Promise<Made>): Promise<Made> {
    const begun = this.#making.get(uploadId)
    if (begun) return begun
    const made = this.#semaphore.run(make).finally(() => this.#making.delete(uploadId))
    this.#making.set(uploadId, made)
    return made
  }
}
