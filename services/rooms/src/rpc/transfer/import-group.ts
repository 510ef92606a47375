import type { MethodImpl } from '@connectrpc/connect'
import type { RoomsTransferService } from '@parley/contracts/internal'
import { newId } from '@parley/ids'
import type { Context } from '../../context.ts'
import { toGroupName } from '../../domain/group-name.ts'
import { groupCreated } from '../../domain/layout-event.ts'
import { changeLayout } from '../../actions/layout/change-layout.ts'
import { appendGroup, findGroups } from '../../store/groups.ts'
import { toStorableDescription } from '../../actions/transfer/description.ts'

export function importGroup(ctx: Context): MethodImpl<typeof RoomsTransferService.method.importGroup> {
  return async (request, call) => {
    const name = toGroupName(request.name)
    const description = toStorableDescription(request)
    const cause = { actorId: '', at: ctx.now() }
    return changeLayout<{ groupId: string; made: boolean }>(ctx, cause, call, async (tx) => {
      const known = (await findGroups(tx)).find((group) => group.name === name)
      if (known) return { answer: { groupId: known.id, made: false } }
      const groupId = newId('group')
      await appendGroup(tx, { id: groupId, name, description, createdAt: cause.at })
      return { answer: { groupId, made: true }, groupId, auditEvents: [groupCreated(groupId)] }
    })
  }
}
