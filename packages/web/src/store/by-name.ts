type Person = { displayName: string; login: string }

/** Sorts by the shown names of people, as the locale does; people with the same name by their logins. */
export function sortedByName<T>(items: readonly T[], personOf: (item: T) => Person | undefined, locale: string): T[] {
  const { compare } = new Intl.Collator(locale, { numeric: true })
  const keyed = items.map((item) => {
    const { displayName = '', login = '' } = personOf(item) ?? {}
    return { item, name: displayName || login, login }
  })
  return keyed.sort((a, b) => compare(a.name, b.name) || compare(a.login, b.login)).map(({ item }) => item)
}
