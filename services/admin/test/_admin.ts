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
import { testDatabaseService, type TestDatabaseOptions } from '@parley/testkit'
import { openForTests } from '@parley/testkit/open-for-tests'
import { readConfig } from '../src/config.ts'
import { startAdmin } from '../src/service.ts'

export { readiness } from '@parley/testkit'

export type TestAdmin = Awaited<ReturnType<typeof testAdmin>>

const services = {
  discovery: ServerDiscoveryService,
  roles: RoleService,
  server: ServerService,
  adminServer: AdminServerService,
  eventLog: AdminEventLogService,
  diagnostics: AdminDiagnosticsService,
  adminRoles: AdminRoleService,
  adminPermissions: AdminPermissionService,
  internal: AdminInternalService,
}

/** An empty database and a separate bus; the test starts the processes. */
export const testAdmin = (options: TestDatabaseOptions = {}) =>
  testDatabaseService(
    {
      ...{ ...options, start: startAdmin, readConfig },
      ...{ databaseSetting: 'PARLEY_ADMIN_DATABASE_URL', migrations: new URL('../drizzle', import.meta.url) },
      settings: {
        PARLEY_WEBSERVER_URL: 'https://chat.example.org',
        PARLEY_CORE_ASSETS_SIGNING_SECRET: 'a secret that signs asset URLs in tests',
      },
    },
    ({ clients }) => ({
      anonymous: clients(services),
      alice: clients(services, { userId: 'Ualice' }),
      bert: clients(services, { userId: 'Ubert', roleIds: ['admin'] }),
      owner: clients(services, { userId: 'Uowner', roleIds: ['owner'] }),
      as: (userId: string, ...roleIds: string[]) => clients(services, { userId, roleIds }),
    }),
  )

/** The same, shared by the tests of a file. */
export const useAdmin = () => openForTests(testAdmin)
