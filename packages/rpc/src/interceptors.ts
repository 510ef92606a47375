import {
  Code,
  ConnectError,
  type Interceptor,
  type StreamRequest,
  type UnaryRequest,
  type UnaryResponse,
} from '@connectrpc/connect'

/** The first interceptor is outermost. */
export async function intercept(
  interceptors: readonly Interceptor[],
  request: UnaryRequest,
  last: (request: UnaryRequest) => Promise<UnaryResponse>,
): Promise<UnaryResponse> {
  const innermost = (unary: UnaryRequest | StreamRequest) => (unary.stream ? Promise.reject(noStreams()) : last(unary))
  const outermost = interceptors.reduceRight<ReturnType<Interceptor>>((next, around) => around(next), innermost)
  const response = await outermost(request)
  if (response.stream) throw noStreams()
  return response
}

/** The bus supports only unary methods. */
export function noStreams(): ConnectError {
  return new ConnectError('the bus does not support streams', Code.Unimplemented)
}
