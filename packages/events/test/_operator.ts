import { createClient, createRouterTransport, type Client } from '@connectrpc/connect'
import { AccountsParkedEventsService } from '@parley/contracts/internal'
import type { Db } from '@parley/postgres'
import { parkedEventsService } from '../src/index.ts'

export function operatorOf(db: Db): Client<typeof AccountsParkedEventsService> {
  const transport = createRouterTransport((router) =>
    router.service(AccountsParkedEventsService, parkedEventsService(db)),
  )
  return createClient(AccountsParkedEventsService, transport)
}
