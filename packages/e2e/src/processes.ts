import { ServerDiscoveryService } from '@parley/contracts/discovery'
import { eventually } from '@parley/testkit'
import { type FleetProcess, isProcessOf } from '@parley/local'
import { fleet } from './fleet.ts'
import { callJson } from './http.ts'

/** The order is the same for every call. */
export function processesOf(name: string): FleetProcess[] {
  return fleet()
    .state()
    .services.filter((service) => isProcessOf(name, service))
}

export function processOf(name: string, index = 0): FleetProcess {
  const found = processesOf(name)[index]
  if (found === undefined) throw new Error(`no process ${index} of ${name} serves`)
  return found
}

/** Waits until the replacement serves. */
export async function restartProcess(name: string, index: number, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  const { pid } = processOf(name, index)
  process.kill(pid, signal)
  await waitUntilBothServe(name, [pid])
}

/** Waits until a service has two serving processes that are not in `ended`. */
export function waitUntilBothServe(name: string, ended: number[]): Promise<void> {
  return eventually(
    () => {
      const pids = processesOf(name).map(({ pid }) => pid)
      const serving = pids.filter((pid) => !ended.includes(pid))
      if (serving.length !== 2)
        throw new Error(`${serving.length} new processes of ${name} serve instead of 2 (${pids.join()})`)
    },
    { timeoutMs: 60_000 },
  )
}

export async function requestInternal(
  { internalPort }: FleetProcess,
  path: string,
): Promise<{ status: number; text: string }> {
  const response = await fetch(`http://127.0.0.1:${internalPort}${path}`, { signal: AbortSignal.timeout(5_000) })
  return { status: response.status, text: await response.text() }
}

/**
 * Waits until every process is ready and both gateways answer calls: a process without the bus stays ready, but
 * cannot answer.
 */
export async function waitUntilHealthy(): Promise<void> {
  await eventually(
    async () => {
      const { services } = fleet().state()
      const wanted = fleet().processes.length
      if (services.length !== wanted) throw new Error(`${services.length} processes serve instead of ${wanted}`)
      for (const service of services) {
        const { status, text } = await requestInternal(service, '/readyz')
        if (status !== 200) throw new Error(`${service.name} is not ready: ${text}`)
      }
      for (const base of fleet().gateways) await callJson(base, ServerDiscoveryService.method.getServer, {})
    },
    { timeoutMs: 60_000 },
  )
}
