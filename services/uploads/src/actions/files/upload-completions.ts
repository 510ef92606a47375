import { FairSemaphore } from '@parley/runtime'
import { tooManyCompletions } from '../../errors.ts'
import type { AssetRow } from '../../store/assets.ts'
import type { UploadRow } from '../../store/uploads.ts'

export type Completed = { upload: UploadRow; asset: AssetRow }

type Result = Completed | undefined

const filesAtOnce = 4
const maxWaiting = 64

/**
 * Assembles only a few files at a time, and no file twice concurrently. The assembly may take longer than a call; then
 * a repeated call gets the result.
 */
export class UploadCompletions {
  readonly #running = new Map<string, Promise<Result>>()
  readonly #semaphore = new FairSemaphore({ atOnce: filesAtOnce, maxWaiting, refusal: tooManyCompletions })

  run(uploadId: string, assemble: () => Promise<Result>): Promise<Result> {
    const running = this.#running.get(uploadId)
    if (running) return running
    const result = this.#semaphore.run(assemble).finally(() => this.#running.delete(uploadId))
    this.#running.set(uploadId, result)
    return result
  }
}
