import { create, fromBinary, type DescMethodUnary, type MessageShape } from '@bufbuild/protobuf'
import { Code, ConnectError, type Interceptor } from '@connectrpc/connect'
import { encode } from '@parley/protobuf'
import { callerOf } from '../handler-context.ts'
import { intercept } from '../interceptors.ts'
import { isInternal, methodName } from '../subjects.ts'
import { assertStorable, validate } from '../validation.ts'
import type { CallContext } from './call-context.ts'
import type { Implementation, ServedMethod } from './routes.ts'

/** Throws, or rejects, if the call is forbidden. */
export type CallGuard = (call: {
  readonly method: DescMethodUnary
  readonly userId: string
}) => Promise<void> | undefined

export type HandlerOptions = { readonly interceptors: readonly Interceptor[]; readonly guard: CallGuard | undefined }

/**
 * Processes a request. In this order: checks the caller, finds the implementation, decodes and validates the body, runs
 * the guard, the interceptors and the handler. Throws any failure.
 */
export async function answer(
  served: ServedMethod,
  context: CallContext,
  body: Uint8Array,
  { interceptors, guard }: HandlerOptions,
): Promise<Uint8Array> {
  const { method, implementation } = served
  if (served.needsCaller) callerOf(context)
  if (!implementation) throw new ConnectError(`${methodName(method)} is not available yet`, Code.Unimplemented)
  const request = decode(method, body)
  validate(method.input, request)
  // The values of an internal request can be stored: the deployable that calls has checked them or made them itself.
  if (!isInternal(method)) assertStorable(method.input, request, body)
  const guarding = served.needsCaller ? guard?.({ method, userId: callerOf(context).userId }) : undefined
  if (guarding) await guarding
  const output =
    interceptors.length === 0
      ? await implementation(request, context)
      : await handleIntercepted(implementation, context, request, interceptors)
  return encode(method.output, output)
}

function decode(method: DescMethodUnary, body: Uint8Array): MessageShape<DescMethodUnary['input']> {
  try {
    return fromBinary(method.input, body)
  } catch (cause) {
    throw new ConnectError('the request cannot be decoded', Code.InvalidArgument, undefined, undefined, cause)
  }
}

async function handleIntercepted(
  implementation: Implementation,
  context: CallContext,
  message: MessageShape<DescMethodUnary['input']>,
  interceptors: readonly Interceptor[],
) {
  const { method, service, url, requestMethod } = context
  const { requestHeader: header, signal, values: contextValues } = context
  const request = {
    stream: false,
    method,
    service,
    url,
    requestMethod,
    header,
    signal,
    contextValues,
    message,
  } as const
  const response = await intercept(interceptors, request, async (last) => {
    const output = await implementation(last.message, context)
    const { responseHeader, responseTrailer } = context
    const made = create(method.output, output)
    return { stream: false, method, service, header: responseHeader, trailer: responseTrailer, message: made }
  })
  return response.message
}
