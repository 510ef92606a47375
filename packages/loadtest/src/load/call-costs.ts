import type { Fleet } from '@parley/local'
import { RefusedError } from './http-caller.ts'
import { measureCpu, type CpuTime } from './cpu-time.ts'
import { time, type Timing } from './timing.ts'

/** Costs of a kind of call with 1, 8 and 64 in flight; undefined if the server refused that many. */
export type CallCosts = { 1: Cost; 8: Cost | undefined; 64: Cost | undefined }

/** Rate and latency of calls, and the CPU time per call. */
export type Cost = Timing & { cpu: CpuTime }

/** For how many seconds calls are made, by the number in flight. Only 1 and 8 have budgets. */
const seconds = { 1: 1, 8: 1, 64: 0.5 }

/**
 * Makes calls with 1, 8 and 64 in flight and returns their costs. `calls`: the number of calls in one run of `make`.
 * `services`: the processes of the fleet, by whose names the CPU time is listed. `excluded`: ids of processes whose CPU
 * time is not counted. `settleMs`: pause after the last call (default 0), in which its follow-up work is still counted.
 */
export async function measureCall(
  make: () => Promise<unknown>,
  options: { calls?: number; services?: Fleet['services']; excluded?: ReadonlySet<number>; settleMs?: number },
): Promise<CallCosts> {
  const { calls = 1, services = [], excluded, settleMs = 0 } = options
  const cost = async (inFlight: 1 | 8 | 64): Promise<Cost> => {
    const cpuPer = measureCpu(services, excluded)
    const took = await time(make, { inFlight, seconds: seconds[inFlight], warmUpSeconds: 0 })
    await new Promise((resolve) => setTimeout(resolve, settleMs))
    return { ...took, perSecond: took.perSecond * calls, cpu: cpuPer(took.count * calls) }
  }
  const unlessRefused = (inFlight: 8 | 64) =>
    cost(inFlight).catch((error: unknown) => {
      if (error instanceof RefusedError) return undefined
      throw error
    })
  await time(make, { inFlight: 2, seconds: 0.3, warmUpSeconds: 0 })
  return { 1: await cost(1), 8: await unlessRefused(8), 64: await unlessRefused(64) }
}
