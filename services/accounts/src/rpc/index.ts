import { parkedEventsService } from '@parley/events'
import { handlersOf } from '@parley/rpc'
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

export const routes = (ctx: Context) =>
  handlersOf('accounts', {
    MyAccountService: myAccount(ctx),
    UserService: user(ctx),
    AdminUserService: adminUser(ctx),
    ViewerService: { getViewer: getViewer(ctx) },
    AccountsInternalService: {
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
    },
    SignInInternalService: signIn(ctx),
    ExternalIdentityAuthService: externalIdentityAuth(ctx),
    OperatorService: operator(ctx),
    AccountsTransferService: {
      importPeople: importPeople(ctx),
      exportPeople: exportPeople(ctx),
    },
    AccountsParkedEventsService: parkedEventsService(ctx.db),
  })
