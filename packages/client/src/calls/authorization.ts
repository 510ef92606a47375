import type { Interceptor } from '@connectrpc/connect'

/** Only to calls without an Authorization header. */
export function authorization(token: () => string | undefined): Interceptor {
  return (next) => (request) => {
    const current = token()
    if (current !== undefined && !request.header.has('authorization')) {
      request.header.set('authorization', `Bearer ${current}`)
    }
    return next(request)
  }
}
