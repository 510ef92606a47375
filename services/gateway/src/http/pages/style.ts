/** The look of the plain pages: readable on a phone, in light and dark, with visible focus. */
export const style = `
:root { color-scheme: light dark; --line: #8888; --accent: #2856c4; }
@media (prefers-color-scheme: dark) { :root { --accent: #8aabff; } }
* { box-sizing: border-box; }
body { margin: 0; font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 26rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; }
h1 { font-size: 1.5rem; line-height: 1.25; overflow-wrap: anywhere; }
form { display: grid; gap: .75rem; margin: 1rem 0; }
label { display: grid; gap: .25rem; }
input, button, .button { font: inherit; width: 100%; min-height: 2.75rem; padding: .5rem .75rem; border: 1px solid var(--line); border-radius: .375rem; }
button, .button { display: block; text-align: center; text-decoration: none; color: inherit; background: transparent; cursor: pointer; overflow-wrap: anywhere; }
button.main { border-color: var(--accent); color: var(--accent); font-weight: 600; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
nav { display: grid; gap: .5rem; margin: 1rem 0; }
summary { padding: .5rem 0; cursor: pointer; }
.alert { border-left: .25rem solid #c62828; padding: .5rem .75rem; }
.note { border-left: .25rem solid var(--accent); padding: .5rem .75rem; }
small { opacity: .8; }
a { color: var(--accent); }
`
