/**
 * Words that a report needs in order to speak at all. They name no thing and claim no figure; any other word has to stand
 * in the evidence. Words of trend, certainty, health and quantity ("rose", "only", "all", "healthy") are left out on
 * purpose.
 */
import { baseOf } from './tokens.js';

const WORDS = `
  a about above across again also an any are as at background be because been before below between beyond both but by can
  cause caused change changed column columns compared contain contains could count counted counts database day decide did
  do does done due during each earlier earliest entries entry equally evidence first following follows for found from
  further had has have hold holds hour hours how if in index indexes into is it its last later latest led level log logged
  logs long match matched matches matching mentions minute minutes mostly name named names next now of on one or order
  other out owner per point points query question questions reads record recorded records referenced report reports
  responsible returned review row rows runbook same say says scope search searched searches second seconds see seen
  service services share shared show shown shows since so some span speak speaks stands start started starts still table
  tables than that the their them then there these they this those though through time times to together trigger triggered
  undo until up value values was were what when where whether which while who whom with within words would utc with
  window after afterwards began begin begins most highest lowest top least fewest frequent prove proves proven proof leave leaves
  open no not its only-if therefore hence result results root why how rate statement statements excerpt document documents
  according reported written made make makes gave give given gives mean means such as like over under against of
`;

const KNOWN: ReadonlySet<string> = new Set(WORDS.trim().split(/\s+/).map(baseOf));

export function isReportingWord(word: string): boolean {
  return KNOWN.has(baseOf(word));
}

export const NEGATION =
  /\b(?:no|not|never|none|nothing|nobody|nowhere|without|cannot|neither|nor|absent|absence|missing|lacks?|lacked|zero|unable|fails? to)\b|n['’]t\b/i;
/** Claims that no bounded search can carry. */
export const OVERCLAIM =
  /\b(?:healthy|health|fine|flawless|undoubtedly|definitely|certainly|surely|obviously|guarante\w+|impossible|always|never|every|everything|everyone|all|entire|entirely|exclusively|rul(?:es?|ed) out|excludes?|excluded|no (?:problems?|issues?|impact|errors? at all)|works? (?:correctly|normally|as expected)|operat\w+ normally|does not exist|do not exist)\b/i;
export const PROOF = /\b(?:prove[sdn]?|proof|confirm(?:s|ed)?|establish(?:es|ed)?|demonstrate[sd]?)\b/i;
/** The one form in which a conclusion may speak of proof: that there is none. */
export const HEDGE =
  /\b(?:do(?:es)? not|cannot) (?:by (?:itself|themselves) )?(?:alone )?(?:prove|establish|show that)\b/i;
export const CAUSAL =
  /\b(?:caus(?:e|es|ed|ing)|because|due to|led to|leads to|result(?:s|ed)? (?:in|from)|trigger(?:s|ed)?|points? to|responsible|root|owing to|thanks to|therefore|hence|explains?)\b/i;
export const EMPTY_FINDING =
  /\b(?:found|returned|matched|showed|shows|gave|yielded) (?:no|zero) (?:\w+ )?(?:entry|entries|rows?|matches|match|documents?|results?|records?)\b|\b(?:found|returned) nothing\b|\bdid not (?:find|return|match)\b/i;
export const CHANGES_SYSTEM =
  /\b(?:restart|kill|drop|delete|remove|roll ?back|undo|revert|create|add|alter|deploy|scale|disable|enable|set|increase|decrease|raise|reboot|terminate|truncate|purge|apply|change)\b/i;
