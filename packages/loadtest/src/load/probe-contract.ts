import type { DescMethodUnary } from '@bufbuild/protobuf'
import { methodPath, publicMethods } from '@parley/contracts/catalogue'
import { HttpCaller } from './http-caller.ts'

export type Verdict = 'implemented' | 'unimplemented' | 'no owner'

/**
 * Calls every public method with an empty message, as a signed-in owner. A method is `unimplemented` if its service
 * responds with that code, and has `no owner` if the gateway reports that no service answers it; otherwise it is
 * `implemented`.
 */
export async function probeContract(
  url: string,
  owner: { login: string; password: string },
): Promise<{ method: DescMethodUnary; verdict: Verdict }[]> {
  using http = new HttpCaller(url)
  await http.signIn(owner)
  const verdicts: { method: DescMethodUnary; verdict: Verdict }[] = []
  for (const method of publicMethods) {
    const { status, headers, body } = await http.post(`/api/connect${methodPath(method)}`, 'application/json', '{}')
    verdicts.push({ method, verdict: verdictOf(status, headers['parley-reason'], body) })
  }
  return verdicts
}

function verdictOf(status: number, reason: unknown, body: Buffer): Verdict {
  if (reason === 'no-owner') return 'no owner'
  if (status === 200) return 'implemented'
  const error: unknown = JSON.parse(body.toString())
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
  return code === 'unimplemented' ? 'unimplemented' : 'implemented'
}
