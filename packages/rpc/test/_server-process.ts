/**
 * A separate server process, for tests that freeze or end it. Reports `ready`, then every call it runs, to its parent.
 */
import { RoomService } from '@parley/contracts/api'
import { AdminInternalService } from '@parley/contracts/internal'
import { connectBus, idempotencyKeyOf, serveRpc } from '../src/index.ts'

const report = (message: string) => process.send?.(message)
const bus = await connectBus({ url: process.env.NATS_URL ?? '', name: 'test', purpose: 'rpc' })
await serveRpc(bus, {
  deployable: 'rooms',
  routes: (routes) =>
    routes
      .service(RoomService, {
        createRoom: (request, call) => {
          report(`ran ${request.name} ${idempotencyKeyOf(call)}`)
          return { room: { name: 'process' } }
        },
      })
      .service(AdminInternalService, {
        checkLogin: ({ login }) => {
          report(`ran ${login}`)
          return { blocked: true }
        },
      }),
})
report('ready')
