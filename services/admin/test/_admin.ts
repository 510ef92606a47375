import { fileURLToPath } from 'node:url'
import { createClient, type Transport } from '@connectrpc/connect'
import { RoleService, ServerService } from '@parley/contracts/api'
import {
  AdminDiagnosticsService,
  AdminEventLogService,
  AdminPermissionService,
  AdminRoleService,
  AdminServerService,
} from '@parley/contracts/admin'
import { ServerDiscoveryService } from '@parley/contracts/discovery'
import { AdminInternalService } from '@parley/contracts/internal'
import { Resources } from '@parley/runtime'
import { callAs, testBus, testDatabase, testNats, type TestDatabaseOptions } from '@parley/testkit'
import { readConfig } from '../src/config.ts'
import { startAdmin, type Overrides } from '../src/service.ts'

/** An empty database, a bus of its own, and admin processes over them on demand. */
export async function testAdmin(options?: TestDatabaseOptions) {
  const opened = new Resources()
  const database = opened.use(await testDatabase(fileURLToPath(new URL('../drizzle', import.meta.url)), options))
  const nats = opened.use(await testNats())
  const { bus, rpc } = opened.use(await testBus(nats.url))
  const environment = {
    PARLEY_ADMIN_DATABASE_URL: database.url,
    PARLEY_NATS_URL: nats.url,
    PARLEY_WEBSERVER_URL: 'https://chat.example.org',
    PARLEY_CORE_ASSETS_SIGNING_SECRET: 'a secret of the addresses of assets for tests',
  }
  return {
    database,
    environment,
    nats,
    bus,
    rpc,
    /** Starts a process; it ends with the test unless it is disposed before. */
    async start(env: NodeJS.ProcessEnv = {}, overrides: Overrides = {}) {
      return opened.use(await startAdmin(readConfig({ env: { ...environment, ...env } }), overrides))
    },
    anonymous: clients(rpc.transport()),
    /** Has no rights beyond everyone's. */
    alice: clients(callAs(rpc, { userId: 'Ualice' })),
    /** Holds the role admin. */
    bert: clients(callAs(rpc, { userId: 'Ubert', roleIds: ['admin'] })),
    owner: clients(callAs(rpc, { userId: 'Uowner', roleIds: ['owner'] })),
    as: (userId: string, ...roleIds: string[]) => clients(callAs(rpc, { userId, roleIds })),
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  }
}

export type TestAdmin = Awaited<ReturnType<typeof testAdmin>>

function clients(transport: Transport) {
  return {
    discovery: createClient(ServerDiscoveryService, transport),
    roles: createClient(RoleService, transport),
    server: createClient(ServerService, transport),
    adminServer: createClient(AdminServerService, transport),
    eventLog: createClient(AdminEventLogService, transport),
    diagnostics: createClient(AdminDiagnosticsService, transport),
    adminRoles: createClient(AdminRoleService, transport),
    adminPermissions: createClient(AdminPermissionService, transport),
    internal: createClient(AdminInternalService, transport),
  }
}

export async function readiness(internalPort: number): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`http://127.0.0.1:${internalPort}/readyz`)
  return { status: response.status, body: await response.json() }
}
