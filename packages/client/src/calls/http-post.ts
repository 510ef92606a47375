import { Code, ConnectError } from '@connectrpc/connect'

/** Posts JSON to a path of the server and returns the fields of its JSON answer. Fails with a ConnectError. */
export type HttpPost = (
  path: string,
  body?: Record<string, unknown>,
  headers?: Record<string, string>,
) => Promise<Record<string, unknown>>

const codes = new Map<number, Code>([
  [400, Code.InvalidArgument],
  [401, Code.Unauthenticated],
  [403, Code.PermissionDenied],
  [404, Code.NotFound],
  [409, Code.AlreadyExists],
  [413, Code.ResourceExhausted],
  [429, Code.ResourceExhausted],
  [503, Code.Unavailable],
  [504, Code.DeadlineExceeded],
])

/** For routes that are not Connect methods. `timeoutMs`: maximum for a request and its response. */
export function createHttpPost(baseUrl: string, fetch: typeof globalThis.fetch, timeoutMs: number): HttpPost {
  return async (path, body, headers = {}) => {
    const signal = AbortSignal.timeout(timeoutMs)
    try {
      const content = body && {
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }
      return await readAnswer(await fetch(`${baseUrl}${path}`, { method: 'POST', headers, ...content, signal }), signal)
    } catch (error) {
      if (!signal.aborted) throw error
      throw new ConnectError('the server took too long to answer', Code.DeadlineExceeded, undefined, undefined, error)
    }
  }
}

async function readAnswer(response: Response, signal: AbortSignal): Promise<Record<string, unknown>> {
  const answer = fieldsOf(await response.json().catch(() => signal.throwIfAborted()))
  if (response.ok) return answer
  const message = typeof answer.error === 'string' ? answer.error : `the server answered ${response.status}`
  const metadata = ['retry-after', 'parley-needs'].flatMap((name) => {
    const value = response.headers.get(name)
    return value === null ? [] : [[name, value] as [string, string]]
  })
  throw new ConnectError(message, codes.get(response.status) ?? Code.Unknown, metadata)
}

/** The fields of an object; of any other value, none. */
export function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
