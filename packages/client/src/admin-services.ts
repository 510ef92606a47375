import { createClient, type Transport } from '@connectrpc/connect'
import {
  AdminDiagnosticsService,
  AdminEventLogService,
  AdminPermissionService,
  AdminRoleService,
  AdminRoomLayoutService,
  AdminServerService,
  AdminUserService,
} from '@parley/contracts/admin'

/** A client for each service: `role` for AdminRoleService, and so on. */
export type AdminServices = ReturnType<typeof adminServices>

export const adminServices = (transport: Transport) => ({
  diagnostics: createClient(AdminDiagnosticsService, transport),
  eventLog: createClient(AdminEventLogService, transport),
  permission: createClient(AdminPermissionService, transport),
  role: createClient(AdminRoleService, transport),
  roomLayout: createClient(AdminRoomLayoutService, transport),
  server: createClient(AdminServerService, transport),
  user: createClient(AdminUserService, transport),
})
