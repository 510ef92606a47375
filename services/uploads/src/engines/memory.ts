import { planMemory, type MemoryPlan, type MemoryRequests } from '../domain/memory.ts'
import { reportTooLittleMemory } from '../metrics.ts'

/** Undefined if the container has no limit. */
function memoryLimit(): number | undefined {
  const limit = process.constrainedMemory()
  return limit > 0 && limit < Number.MAX_SAFE_INTEGER ? limit : undefined
}

export function divideMemory(requests: MemoryRequests, worksOn: { images: boolean; videos: boolean }): MemoryPlan {
  const limit = memoryLimit()
  const plan = planMemory(limit, requests, worksOn)
  if (limit !== undefined && plan.bytes > limit) reportTooLittleMemory(limit, plan)
  return plan
}
