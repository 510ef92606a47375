import { parkedEventsService } from '@parley/events'
import { handlersOf } from '@parley/rpc'
import type { Context } from '../context.ts'
import { adminEventLog } from './admin-event-log/index.ts'
import { adminPermission } from './admin-permission/index.ts'
import { adminRole } from './admin-role/index.ts'
import { adminServer } from './admin-server/index.ts'
import { getSystemInfo } from './diagnostics/get-system-info.ts'
import { getServer } from './discovery/get-server.ts'
import { checkLogin } from './internal/check-login.ts'
import { checkLogins } from './internal/check-logins.ts'
import { denyEntry } from './internal/deny-entry.ts'
import { denyPosting } from './internal/deny-posting.ts'
import { getPolicy } from './internal/get-policy.ts'
import { getServerImages } from './internal/get-server-images.ts'
import { getServerName } from './internal/get-server-name.ts'
import { batchGetRoles } from './role/batch-get-roles.ts'
import { getRole } from './role/get-role.ts'
import { listRoles } from './role/list-roles.ts'
import { getMotd } from './server/get-motd.ts'
import { getRuntimeConfig } from './server/get-runtime-config.ts'

export const routes = (ctx: Context) =>
  handlersOf('admin', {
    ServerDiscoveryService: {
      getServer: getServer(ctx),
    },
    RoleService: {
      listRoles: listRoles(ctx),
      getRole: getRole(ctx),
      batchGetRoles: batchGetRoles(ctx),
    },
    ServerService: {
      getMotd: getMotd(ctx),
      getRuntimeConfig: getRuntimeConfig(ctx),
    },
    AdminServerService: adminServer(ctx),
    AdminEventLogService: adminEventLog(ctx),
    AdminRoleService: adminRole(ctx),
    AdminPermissionService: adminPermission(ctx),
    AdminDiagnosticsService: {
      getSystemInfo: getSystemInfo(ctx),
    },
    AdminInternalService: {
      getPolicy: getPolicy(ctx),
      denyPosting: denyPosting(ctx),
      denyEntry: denyEntry(ctx),
      checkLogin: checkLogin(ctx),
      checkLogins: checkLogins(ctx),
      getServerImages: getServerImages(ctx),
      getServerName: getServerName(ctx),
    },
    AdminParkedEventsService: parkedEventsService(ctx.db),
  })
