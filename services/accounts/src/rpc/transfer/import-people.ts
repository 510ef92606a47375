import type { MethodImpl } from '@connectrpc/connect'
import type { AccountsTransferService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { importedIdMissing, tooManyAtOnce } from '../../errors.ts'
import { importBatch } from '../../actions/transfer/import-people.ts'

const maxPeople = 500

export function importPeople(ctx: Context): MethodImpl<typeof AccountsTransferService.method.importPeople> {
  return async (request) => {
    const { source, people } = request
    if (people.length > maxPeople) throw tooManyAtOnce('people', maxPeople)
    if (source === '' || people.some(({ externalId }) => externalId === '')) throw importedIdMissing()
    return { people: await importBatch(ctx, request) }
  }
}
