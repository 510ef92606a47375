import { periodically } from '@parley/runtime'
import type { Db } from '@parley/postgres'
import { keepJob, type HeldJob } from '../../store/video-jobs.ts'

/** How long a video is left alone after its worker was last heard of. */
export const leaseMs = 30_000
const keepEveryMs = 5_000

/** Keeps a video from the others until it is disposed. `lost` fires when it is gone or somebody else has it. */
export function keepLease(db: Db, job: HeldJob): AsyncDisposable & { lost: AbortSignal } {
  const lost = new AbortController()
  const keeping = periodically({
    name: 'keep a video',
    everyMs: keepEveryMs,
    signal: lost.signal,
    run: async () => {
      if (!(await keepJob(db, job, leaseMs))) lost.abort()
    },
  })
  return { lost: lost.signal, [Symbol.asyncDispose]: () => keeping[Symbol.asyncDispose]() }
}
