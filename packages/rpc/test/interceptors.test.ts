import { expect, test } from '@jest/globals'
import {
  Code,
  ConnectError,
  createClient,
  createContextKey,
  createContextValues,
  type Interceptor,
} from '@connectrpc/connect'
import { RoomService } from '@parley/contracts/api'
import { AdminInternalService, MessagingInternalService } from '@parley/contracts/internal'
import { idempotencyKeyOf } from '../src/index.ts'
import { alice, errorOf, startFleet, stoppedClock } from './_fleet.ts'

const trail = createContextKey('')

test('interceptors of Connect work on both sides, the first one outermost', async () => {
  await using fleet = await startFleet()
  const steps: string[] = []
  const step =
    (name: string): Interceptor =>
    (next) =>
    async (request) => {
      steps.push(`${name} ${request.method.name} ${request.contextValues.get(trail)}`)
      request.header.append('steps', name)
      const response = await next(request)
      response.header.append('steps', name)
      steps.push(`${name} done`)
      return response
    }
  await fleet.serve({
    ...stoppedClock,
    deployable: 'gateway',
    interceptors: [step('third'), step('fourth')],
    routes: (routes) =>
      routes.service(AdminInternalService, {
        checkLogin: (_request, call) => {
          steps.push(call.requestHeader.get('steps') ?? '')
          return { blocked: true }
        },
      }),
  })
  const rpc = await fleet.client({ ...stoppedClock, interceptors: [step('first'), step('second')] })
  let seen: string | null = ''
  const { blocked } = await createClient(AdminInternalService, rpc.transport()).checkLogin(
    {},
    {
      contextValues: createContextValues().set(trail, 'kept'),
      onHeader: (headers) => {
        seen = headers.get('steps')
      },
    },
  )
  expect(blocked).toBe(true)
  expect(seen).toBe('fourth, third, second, first')
  expect(steps).toEqual([
    'first CheckLogin kept',
    'second CheckLogin kept',
    'third CheckLogin ',
    'fourth CheckLogin ',
    'first, second, third, fourth',
    'fourth done',
    'third done',
    'second done',
    'first done',
  ])
})

test('an interceptor may resend its request, with the same key', async () => {
  await using fleet = await startFleet()
  const keys: (string | undefined)[] = []
  const again: Interceptor = (next) => (request) => next(request).catch(() => next(request))
  await fleet.serve({
    ...stoppedClock,
    deployable: 'rooms',
    routes: (routes) =>
      routes.service(RoomService, {
        createRoom: (_request, call) => {
          if (keys.push(idempotencyKeyOf(call)) === 1) throw new ConnectError('later', Code.ResourceExhausted)
          return {}
        },
      }),
  })
  const rpc = await fleet.client({ ...stoppedClock, interceptors: [again] })
  const rooms = createClient(RoomService, rpc.transport({ caller: alice }))
  await rooms.createRoom({ name: 'plans', groupId: 'G1' }, { headers: { 'Idempotency-Key': 'k1' } })
  expect(keys).toEqual(['k1', 'k1'])
})

test('an interceptor may refuse or change a request', async () => {
  await using fleet = await startFleet()
  await fleet.serve({
    ...stoppedClock,
    deployable: 'gateway',
    interceptors: [
      (next) => (request) => {
        if (request.service === MessagingInternalService)
          throw new ConnectError('closed today', Code.FailedPrecondition)
        return next(request)
      },
    ],
    routes: (routes) =>
      routes
        .service(AdminInternalService, { checkLogin: ({ login }) => ({ blocked: login === 'changed' }) })
        .service(MessagingInternalService, { hasUnread: () => ({}) }),
  })
  const change: Interceptor = (next) => (request) =>
    next(request.stream ? request : { ...request, message: Object.assign(request.message, { login: 'changed' }) })
  const rpc = await fleet.client({ ...stoppedClock, interceptors: [change] })
  expect((await createClient(AdminInternalService, rpc.transport()).checkLogin({ login: 'x' })).blocked).toBe(true)
  const error = await errorOf(createClient(MessagingInternalService, rpc.transport()).hasUnread({}))
  expect(error).toMatchObject({ code: Code.FailedPrecondition, rawMessage: 'closed today' })
})
