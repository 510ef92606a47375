/** The configuration is invalid. Lists all problems, without values of secrets. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'

  /** One line per problem, each naming the setting. */
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(`the configuration is not valid:\n${problems.map((problem) => `  ${problem}`).join('\n')}`)
    this.problems = problems
  }
}
