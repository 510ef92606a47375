import type { IncomingMessage, ServerResponse } from 'node:http'

/** The caller must have validated `location`, unless it is our own path. */
export function redirect(response: ServerResponse, status: 302 | 303 | 307, location: string): Promise<void> {
  response.writeHead(status, { location, 'cache-control': 'no-store', 'content-length': '0' }).end()
  return Promise.resolve()
}

export function queryOf(request: IncomingMessage): URLSearchParams {
  const target = request.url ?? ''
  const mark = target.indexOf('?')
  return new URLSearchParams(mark === -1 ? '' : target.slice(mark + 1))
}

export function addParameter(path: string, name: string, value: string): string {
  const [head = '', fragment] = path.split('#', 2)
  const added = `${head}${head.includes('?') ? '&' : '?'}${new URLSearchParams({ [name]: value }).toString()}`
  return fragment === undefined ? added : `${added}#${fragment}`
}
