import type { Fleet } from '@parley/local'
import { RefusedError } from './http-caller.ts'
import { measureCpu, type CpuTime } from './cpu-time.ts'
import { time, type Timing } from './timing.ts'

/** A cost is undefined if the server refused that many calls in flight. */
export type CallCosts = { 1: Cost; 8: Cost | undefined; 64: Cost | undefined }

/** `perSecond` and `cpu` are those of single calls; `p50`, `p99` and `count` those of runs of `make`. */
export type Cost = Timing & { cpu: CpuTime }

/** The keys are numbers of calls in flight. Budgets are only for 1 and 8 in flight. */
const seconds = { withBudget: { 1: 1, 8: 1, 64: 0.5 }, without: { 1: 1, 8: 0.5, 64: 0.5 } }

type Options = {
  /** How many calls one run of `make` makes. Default: 1. */
  callsPerRun?: number
  /** Their CPU time is listed under their names. */
  services?: Fleet['services']
  /** Processes whose CPU time is not counted. */
  excluded?: ReadonlySet<number>
  /** Follow-up work of the last call is still counted for this long. Default: 0. */
  settleMs?: number
  /** With 8 in flight, a call without budget is made for a shorter time. Default: true. */
  hasBudget?: boolean
}

export async function measureCall(make: () => Promise<unknown>, options: Options): Promise<CallCosts> {
  const { callsPerRun = 1, services = [], excluded, settleMs = 0, hasBudget = true } = options
  const durations = hasBudget ? seconds.withBudget : seconds.without
  const cost = async (inFlight: 1 | 8 | 64): Promise<Cost> => {
    const cpuPer = measureCpu(services, excluded)
    const timing = await time(make, { inFlight, seconds: durations[inFlight], warmUpSeconds: 0 })
    await new Promise((resolve) => setTimeout(resolve, settleMs))
    return { ...timing, perSecond: timing.perSecond * callsPerRun, cpu: cpuPer(timing.count * callsPerRun) }
  }
  const unlessRefused = (inFlight: 8 | 64) =>
    cost(inFlight).catch((error: unknown) => {
      if (error instanceof RefusedError) return undefined
      throw error
    })
  await time(make, { inFlight: 2, seconds: 0.15, warmUpSeconds: 0 })
  return { 1: await cost(1), 8: await unlessRefused(8), 64: await unlessRefused(64) }
}
