import { planMemory, type MemoryPlan, type MemoryRequests } from '../domain/memory.ts'
import { reportTooLittleMemory } from '../metrics.ts'

/** The memory limit of the container this process runs in; undefined when there is none. */
function memoryLimit(): number | undefined {
  const limit = process.constrainedMemory()
  return limit > 0 && limit < Number.MAX_SAFE_INTEGER ? limit : undefined
}

/** Divides the memory of this process, and logs a warning if the settings do not fit. */
export function divideMemory(wishes: MemoryRequests, worksOn: { images: boolean; videos: boolean }): MemoryPlan {
  const limit = memoryLimit()
  const plan = planMemory(limit, wishes, worksOn)
  if (limit !== undefined && plan.bytes > limit) reportTooLittleMemory(limit, plan)
  return plan
}
