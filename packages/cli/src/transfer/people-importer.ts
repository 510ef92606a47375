import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { ImportedPersonOutcome } from '@parley/contracts/internal'
import type { ArchivedPerson } from './archive.ts'
import type { TransferFleet } from './fleet.ts'
import type { Report } from './report.ts'

const batchSize = 500
/** Longer names are cut, and longer e-mail addresses left out. The service `accounts` has a lower limit for names. */
const maxCharacters = 320

type ImportedAccount = { userId: string; login: string }

export class PeopleImporter {
  readonly #fleet: Pick<TransferFleet, 'accounts'>
  readonly #options: { source: string; matchEmails: boolean; report: Report }
  readonly #waiting: ArchivedPerson[] = []
  readonly #accounts = new Map<string, ImportedAccount>()

  constructor(
    fleet: Pick<TransferFleet, 'accounts'>,
    options: { source: string; matchEmails: boolean; report: Report },
  ) {
    this.#fleet = fleet
    this.#options = options
  }

  async add(person: ArchivedPerson): Promise<void> {
    this.#waiting.push(person)
    if (this.#waiting.length >= batchSize) await this.flush()
  }

  /** After this, `find` returns the accounts of the people added so far. */
  async flush(): Promise<void> {
    const waiting = this.#waiting.splice(0)
    if (waiting.length === 0) return
    const { source, matchEmails, report } = this.#options
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
      const location = waiting[index]?.location ?? externalId
      this.#accounts.set(externalId, { userId, login })
      if (outcome === ImportedPersonOutcome.MADE) report.addImported('people')
      if (outcome === ImportedPersonOutcome.MATCHED) report.addImported('people who already had an account')
      if (emailDropped)
        report.addAltered('people', 'the e-mail address is invalid or belongs to another account', location)
      const name = waiting[index]?.name ?? ''
      if (outcome !== ImportedPersonOutcome.MATCHED && login !== '' && login.toLowerCase() !== name.toLowerCase())
        report.addAltered('people', 'the login was changed', `${location} is ${login}`)
    }
  }

  find(id: string): ImportedAccount | undefined {
    return this.#accounts.get(id)
  }

  everybody(): string[] {
    return [...new Set([...this.#accounts.values()].map(({ userId }) => userId))]
  }
}
