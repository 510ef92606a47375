import type { Fleet } from '@parley/local'
import { Refused } from './http-caller.ts'
import { measureCpu, type CpuTime } from './processor-time.ts'
import { time, type Timing } from './timing.ts'

/** Cost of a kind of call with 1, 8 and 64 in flight; undefined where the server refused that many. */
export type Spent = { 1: Cost; 8: Cost | undefined; 64: Cost | undefined }

/** Rate and latency of calls, and the CPU time of one call. */
export type Cost = Timing & { cpu: CpuTime }

/** How long calls are made, by the number in flight. Only 1 and 8 have budgets. */
const seconds = { 1: 1, 8: 1, 64: 0.5 }

/**
 * Makes calls with 1, 8 and 64 in flight and returns their cost. `calls`: the number of calls in one run of `make`.
 * `services`: the processes of the fleet, by whose names the CPU time is listed. `excluded`: processes whose CPU time
 * is not counted. `settleMs`: time after the last call for its follow-up work to finish; 0 for calls without any.
 */
export async function spend(
  make: () => Promise<unknown>,
  options: { calls?: number; services?: Fleet['services']; excluded?: ReadonlySet<number>; settleMs?: number },
): Promise<Spent> {
  const { calls = 1, services = [], excluded, settleMs = 0 } = options
  const cost = async (inFlight: 1 | 8 | 64): Promise<Cost> => {
    const used = measureCpu(services, excluded)
    const took = await time(make, { inFlight, seconds: seconds[inFlight], warmUpSeconds: 0 })
    await new Promise((resolve) => setTimeout(resolve, settleMs))
    return { ...took, perSecond: took.perSecond * calls, cpu: used(took.count * calls) }
  }
  const unlessRefused = (inFlight: 8 | 64) =>
    cost(inFlight).catch((error: unknown) => {
      if (error instanceof Refused) return undefined
      throw error
    })
  await time(make, { inFlight: 2, seconds: 0.3, warmUpSeconds: 0 })
  return { 1: await cost(1), 8: await unlessRefused(8), 64: await unlessRefused(64) }
}
