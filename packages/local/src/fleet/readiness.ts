import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { json } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

export type Process = { label: string; internalPort: () => number | undefined }

/**
 * Waits until every process reports that it is ready. After `reportMs` it prints which processes are not ready and
 * why, and again when that has changed, at most once per `reportMs`. After `timeoutMs` it throws an error that says
 * the same.
 */
export async function whenAllReady(
  processes: Process[],
  say: (line: string) => void,
  signal: AbortSignal,
  timeoutMs: number,
  reportMs = 5_000,
) {
  const startedAt = Date.now()
  let reported = ''
  for (let reportedAt = startedAt; ; await sleep(100, undefined, { signal })) {
    const reasons = (await Promise.all(processes.map(whyNotReady))).flatMap((reason) => reason ?? [])
    if (reasons.length === 0) return
    const summary = reasons.join('; ')
    if (Date.now() - startedAt > timeoutMs) throw new Error(`not ready after ${timeoutMs / 1000} s: ${summary}`)
    if (summary === reported || Date.now() - reportedAt < reportMs) continue
    reportedAt = Date.now()
    reported = summary
    say(`not ready yet: ${summary}`)
  }
}

async function whyNotReady({ label, internalPort }: Process): Promise<string | undefined> {
  const port = internalPort()
  if (port === undefined) return label
  try {
    const response = await fetchReadiness(port)
    if (response.statusCode === 200) return void response.resume()
    const body = await json(response)
    const reasons = typeof body === 'object' && body !== null && 'reasons' in body ? body.reasons : undefined
    return Array.isArray(reasons) ? `${label} (${reasons.join(', ')})` : label
  } catch {
    return label
  }
}

/** Uses a direct connection: `fetch` would use the proxy from the environment. */
async function fetchReadiness(port: number): Promise<IncomingMessage> {
  const signal = AbortSignal.timeout(2000)
  const request = get({ host: '127.0.0.1', port, path: '/readyz', agent: false, signal })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  return response
}
