import { searchIn } from './search.ts'

export type Findable = { name: string; words?: string }
export type FindablePerson = Findable & { login: string }

const maxFound = 12
const maxAtFirst = 6

/**
 * Lists what typed text finds: the person with exactly this login, then rooms, commands, and the people that the server
 * has found. Before anything is typed, lists the first rooms and all commands.
 */
export function choicesFor<Room extends Findable, Command extends Findable, Person extends FindablePerson>(
  typed: string,
  rooms: readonly Room[],
  commands: readonly Command[],
  people: readonly Person[],
): (Room | Command | Person)[] {
  const wanted = typed.trim().toLowerCase()
  if (wanted === '') return [...rooms.slice(0, maxAtFirst), ...commands]
  const isExact = ({ login }: Person) => login.toLowerCase() === wanted
  return [
    ...people.filter(isExact),
    ...searchIn(rooms, typed, wordsOf),
    ...searchIn(commands, typed, wordsOf),
    ...people.filter((person) => !isExact(person)),
  ].slice(0, maxFound)
}

const wordsOf = ({ name, words = '' }: Findable) => `${name} ${words}`
