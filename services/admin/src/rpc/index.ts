import type { ServiceImpl } from '@connectrpc/connect'
import {
  AdminEventLogService,
  AdminPermissionService,
  AdminRoleService,
  AdminServerService,
} from '@parley/contracts/admin'
import { RoleService, ServerService } from '@parley/contracts/api'
import { ServerDiscoveryService } from '@parley/contracts/discovery'
import { AdminInternalService } from '@parley/contracts/internal'
import type { ServiceRoutes } from '@parley/rpc'
import type { Context } from '../context.ts'
import { getEvent } from './admin-event-log/get-event.ts'
import { listEventTypes } from './admin-event-log/list-event-types.ts'
import { listEvents } from './admin-event-log/list-events.ts'
import { adminPermission } from './admin-permission/index.ts'
import { adminRole } from './admin-role/index.ts'
import { deleteServerBanner } from './admin-server/delete-server-banner.ts'
import { deleteServerLogo } from './admin-server/delete-server-logo.ts'
import { getServerConfig } from './admin-server/get-server-config.ts'
import { getServerSecurityConfig } from './admin-server/get-server-security-config.ts'
import { updateBlockedUsernames } from './admin-server/update-blocked-usernames.ts'
import { updateServerConfig } from './admin-server/update-server-config.ts'
import { uploadServerBanner } from './admin-server/upload-server-banner.ts'
import { uploadServerLogo } from './admin-server/upload-server-logo.ts'
import { getServer } from './discovery/get-server.ts'
import { checkLogin } from './internal/check-login.ts'
import { denyPosting } from './internal/deny-posting.ts'
import { getPolicy } from './internal/get-policy.ts'
import { getServerName } from './internal/get-server-name.ts'
import { batchGetRoles } from './role/batch-get-roles.ts'
import { getRole } from './role/get-role.ts'
import { listRoles } from './role/list-roles.ts'
import { getMotd } from './server/get-motd.ts'
import { getRuntimeConfig } from './server/get-runtime-config.ts'

export const routes = (ctx: Context) => (router: ServiceRoutes) => {
  router.service(ServerDiscoveryService, {
    getServer: getServer(ctx),
  } satisfies ServiceImpl<typeof ServerDiscoveryService>)
  router.service(RoleService, {
    listRoles: listRoles(ctx),
    getRole: getRole(ctx),
    batchGetRoles: batchGetRoles(ctx),
  } satisfies ServiceImpl<typeof RoleService>)
  router.service(ServerService, {
    getMotd: getMotd(ctx),
    getRuntimeConfig: getRuntimeConfig(ctx),
  } satisfies ServiceImpl<typeof ServerService>)
  router.service(AdminServerService, {
    getServerConfig: getServerConfig(ctx),
    updateServerConfig: updateServerConfig(ctx),
    uploadServerLogo: uploadServerLogo(ctx),
    deleteServerLogo: deleteServerLogo(ctx),
    uploadServerBanner: uploadServerBanner(ctx),
    deleteServerBanner: deleteServerBanner(ctx),
    getServerSecurityConfig: getServerSecurityConfig(ctx),
    updateBlockedUsernames: updateBlockedUsernames(ctx),
  } satisfies ServiceImpl<typeof AdminServerService>)
  router.service(AdminEventLogService, {
    listEvents: listEvents(ctx),
    listEventTypes: listEventTypes(ctx),
    getEvent: getEvent(ctx),
  } satisfies ServiceImpl<typeof AdminEventLogService>)
  router.service(AdminRoleService, adminRole(ctx))
  router.service(AdminPermissionService, adminPermission(ctx))
  router.service(AdminInternalService, {
    getPolicy: getPolicy(ctx),
    denyPosting: denyPosting(ctx),
    checkLogin: checkLogin(ctx),
    getServerName: getServerName(ctx),
  } satisfies ServiceImpl<typeof AdminInternalService>)
}
