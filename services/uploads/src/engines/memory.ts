import { planMemory, type MemoryPlan, type MemorySettings } from '../domain/memory.ts'
import { reportTooLittleMemory } from '../metrics.ts'

/** Undefined if the container has no limit. */
function memoryLimit(): number | undefined {
  const limit = process.constrainedMemory()
  return limit > 0 && limit < Number.MAX_SAFE_INTEGER ? limit : undefined
}

export function divideMemory(settings: MemorySettings, worksOn: { images: boolean; videos: boolean }): MemoryPlan {
  const limit = memoryLimit()
  const plan = planMemory(limit, settings, worksOn)
  if (limit !== undefined && plan.bytes > limit) reportTooLittleMemory(limit, plan)
  return plan
}
