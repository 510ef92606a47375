import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { ImportedPersonOutcome } from '@parley/contracts/internal'
import type { ArchivedPerson } from './archive.ts'
import type { TransferFleet } from './fleet.ts'
import type { Report } from './report.ts'

const atOnce = 500
/** Longer than any name or address; our rules cut names further. */
const maxCharacters = 320

type Here = { userId: string; login: string }

/** Imports people, many in one call, and maps their ids to accounts. */
export class PeopleImporter {
  readonly #fleet: Pick<TransferFleet, 'accounts'>
  readonly #terms: { source: string; matchEmails: boolean; report: Report }
  readonly #waiting: ArchivedPerson[] = []
  readonly #here = new Map<string, Here>()

  constructor(fleet: Pick<TransferFleet, 'accounts'>, terms: { source: string; matchEmails: boolean; report: Report }) {
    this.#fleet = fleet
    this.#terms = terms
  }

  async take(person: ArchivedPerson): Promise<void> {
    this.#waiting.push(person)
    if (this.#waiting.length >= atOnce) await this.flush()
  }

  /** Sends the collected people, so that they can be looked up afterwards. */
  async flush(): Promise<void> {
    const waiting = this.#waiting.splice(0)
    if (waiting.length === 0) return
    const { source, matchEmails, report } = this.#terms
    const { people } = await this.#fleet.accounts.importPeople({
      source,
      matchEmails,
      people: waiting.map(({ id, name, displayName, email, deleted, createdAt }) => ({
        ...{ externalId: id, name: name.slice(0, maxCharacters), displayName: displayName.slice(0, maxCharacters) },
        ...{ email: email.length > maxCharacters ? '' : email, deleted },
        ...(createdAt && { createdAt: timestampFromDate(createdAt) }),
      })),
    })
    for (const [index, { externalId, userId, login, outcome, emailDropped }] of people.entries()) {
      const place = waiting[index]?.place ?? externalId
      this.#here.set(externalId, { userId, login })
      if (outcome === ImportedPersonOutcome.MADE) report.imported('people')
      if (outcome === ImportedPersonOutcome.MATCHED) report.imported('people who had an account here')
      if (emailDropped) report.altered('people', 'the address is not valid or belongs to another account', place)
      const name = waiting[index]?.name ?? ''
      if (outcome !== ImportedPersonOutcome.MATCHED && login !== '' && login.toLowerCase() !== name.toLowerCase())
        report.altered('people', 'the login was changed', `${place} is ${login}`)
    }
  }

  find(id: string): Here | undefined {
    return this.#here.get(id)
  }

  /** Ids of the accounts of all imported people, including accounts that existed before. */
  everybody(): string[] {
    return [...new Set([...this.#here.values()].map(({ userId }) => userId))]
  }
}
