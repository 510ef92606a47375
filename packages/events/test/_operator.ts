import { createClient, createRouterTransport, type Client } from '@connectrpc/connect'
import { AccountsParkedEventsService } from '@parley/contracts/internal'
import type { Db } from '@parley/postgres'
import { parkedEventsService } from '../src/index.ts'

/** A client for the operator's calls about a service's parked events. */
export function operatorOf(db: Db): Client<typeof AccountsParkedEventsService> {
  const transport = createRouterTransport((router) =>
    router.service(AccountsParkedEventsService, parkedEventsService(db)),
  )
  return createClient(AccountsParkedEventsService, transport)
}
