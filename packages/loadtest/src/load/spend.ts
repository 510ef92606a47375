import { Refused } from './http-caller.ts'
import { seeProcesses, sumOfTree } from './processor-time.ts'
import { time, type Timing } from './timing.ts'

/** Cost of a kind of call, alone, with 8 in flight and with 64; undefined where the server refused that many. */
export type Spent = { 1: Cost; 8: Cost | undefined; 64: Cost | undefined }

export type Cost = Timing & Processor

/** Milliseconds of processor time of one call: of all processes, and of each by the id of the process. */
export type Processor = { processorMs: number; ofProcess: ReadonlyMap<number, number> }

const seconds = 1
/** Time for the follow-up work of a call to finish. */
const restMs = 150

/**
 * Makes calls with 1, 8 and 64 in flight and returns their cost, including the processor time of all child processes
 * that are not excluded. `calls`: the number of calls in one run of `make`.
 */
export async function spend(
  make: () => Promise<unknown>,
  { calls = 1, leaveOut = new Set<number>() }: { calls?: number; leaveOut?: ReadonlySet<number> } = {},
): Promise<Spent> {
  const cost = async (inFlight: number): Promise<Cost> => {
    const before = seeProcesses()
    const took = await time(make, { inFlight, seconds, warmUpSeconds: 0 })
    await new Promise((resolve) => setTimeout(resolve, restMs))
    const processor = processorOf(before, { calls: took.count * calls, leaveOut })
    return { ...took, perSecond: took.perSecond * calls, ...processor }
  }
  const unlessRefused = (inFlight: number) =>
    cost(inFlight).catch((error: unknown) => {
      if (error instanceof Refused) return undefined
      throw error
    })
  await time(make, { inFlight: 2, seconds: 0.3, warmUpSeconds: 0 })
  return { 1: await cost(1), 8: await unlessRefused(8), 64: await unlessRefused(64) }
}

function processorOf(
  before: ReturnType<typeof seeProcesses>,
  { calls, leaveOut }: { calls: number; leaveOut: ReadonlySet<number> },
): Processor {
  const after = seeProcesses()
  const ofProcess = new Map<number, number>()
  for (const { pid } of after.filter(({ parent, pid }) => parent === process.pid && !leaveOut.has(pid))) {
    const seconds = sumOfTree(after, pid).seconds - sumOfTree(before, pid).seconds
    ofProcess.set(pid, (1000 * seconds) / calls)
  }
  return { processorMs: [...ofProcess.values()].reduce((sum, ms) => sum + ms, 0), ofProcess }
}
