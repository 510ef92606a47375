import type { ServiceImpl } from '@connectrpc/connect'
import { AdminUserService } from '@parley/contracts/admin'
import { MyAccountService, UserService, ViewerService } from '@parley/contracts/api'
import { ExternalIdentityAuthService } from '@parley/contracts/auth'
import {
  AccountsInternalService,
  AccountsParkedEventsService,
  AccountsTransferService,
  OperatorService,
  SignInInternalService,
} from '@parley/contracts/internal'
import { parkedEvents } from '@parley/events'
import type { ServiceRoutes } from '@parley/rpc'
import type { Context } from '../context.ts'
import { adminUser } from './admin-user/index.ts'
import { externalIdentityAuth } from './external-identity-auth/index.ts'
import { authenticate } from './internal/authenticate.ts'
import { checkCredentials } from './internal/check-credentials.ts'
import { rekeyCredentials } from './internal/rekey-credentials.ts'
import { countUsers } from './internal/count-users.ts'
import { endCredentials } from './internal/end-credentials.ts'
import { getPeople } from './internal/get-people.ts'
import { getPresences } from './internal/get-presences.ts'
import { getProfiles } from './internal/get-profiles.ts'
import { listPeople } from './internal/list-people.ts'
import { listRoleHolders } from './internal/list-role-holders.ts'
import { openSockets } from './internal/open-sockets.ts'
import { passwordLogin } from './internal/password-login.ts'
import { operator } from './operator/index.ts'
import { reportErased } from './internal/report-erased.ts'
import { releaseRoleName } from './internal/release-role-name.ts'
import { reserveRoleName } from './internal/reserve-role-name.ts'
import { resolveHandles } from './internal/resolve-handles.ts'
import { myAccount } from './my-account/index.ts'
import { signIn } from './sign-in/index.ts'
import { exportPeople } from './transfer/export-people.ts'
import { importPeople } from './transfer/import-people.ts'
import { user } from './user/index.ts'
import { getViewer } from './viewer/get-viewer.ts'

export const routes = (ctx: Context) => (router: ServiceRoutes) => {
  router.service(MyAccountService, myAccount(ctx))
  router.service(UserService, user(ctx))
  router.service(AdminUserService, adminUser(ctx))
  router.service(ViewerService, { getViewer: getViewer(ctx) } satisfies ServiceImpl<typeof ViewerService>)
  router.service(AccountsInternalService, {
    authenticate: authenticate(ctx),
    checkCredentials: checkCredentials(ctx),
    rekeyCredentials: rekeyCredentials(ctx),
    passwordLogin: passwordLogin(ctx),
    endCredentials: endCredentials(ctx),
    openSockets: openSockets(ctx),
    getPeople: getPeople(ctx),
    getPresences: getPresences(ctx),
    getProfiles: getProfiles(ctx),
    listPeople: listPeople(ctx),
    countUsers: countUsers(ctx),
    reportErased: reportErased(ctx),
    listRoleHolders: listRoleHolders(ctx),
    reserveRoleName: reserveRoleName(ctx),
    releaseRoleName: releaseRoleName(ctx),
    resolveHandles: resolveHandles(ctx),
  } satisfies ServiceImpl<typeof AccountsInternalService>)
  router.service(SignInInternalService, signIn(ctx))
  router.service(ExternalIdentityAuthService, externalIdentityAuth(ctx))
  router.service(OperatorService, operator(ctx))
  router.service(AccountsTransferService, {
    importPeople: importPeople(ctx),
    exportPeople: exportPeople(ctx),
  } satisfies ServiceImpl<typeof AccountsTransferService>)
  router.service(AccountsParkedEventsService, parkedEvents(ctx.db))
}
