import { MessagingInternalService } from '@parley/contracts/internal'
import { connectBus, serveRpc } from '@parley/rpc'

const bus = await connectBus({ url: process.argv[2] ?? '', name: 'messaging', purpose: 'rpc' })
await serveRpc(bus, {
  deployable: 'messaging',
  routes: (router) => router.service(MessagingInternalService, { hasUnread: async () => ({ rooms: true }) }),
})
process.send?.('ready')
