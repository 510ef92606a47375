/** The configuration is invalid. The message has no values of secrets. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'

  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(`the configuration is not valid:\n${problems.map((problem) => `  ${problem}`).join('\n')}`)
    this.problems = problems
  }
}
