import { planMemory, type MemoryPlan, type MemoryRequests } from '../domain/memory.ts'
import { reportTooLittleMemory } from '../metrics.ts'

/** The memory limit of the container this process runs in; undefined when there is none. */
function memoryLimit(): number | undefined {
  const limit = process.constrainedMemory()
  return limit > 0 && limit < Number.MAX_SAFE_INTEGER ? limit : undefined
}

/**
 * Divides the memory of this process among images and videos; logs a warning if the plan exceeds the memory limit.
 */
export function divideMemory(requests: MemoryRequests, worksOn: { images: boolean; videos: boolean }): MemoryPlan {
  const limit = memoryLimit()
  const plan = planMemory(limit, requests, worksOn)
  if (limit !== undefined && plan.bytes > limit) reportTooLittleMemory(limit, plan)
  return plan
}
