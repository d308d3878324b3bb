/** The Router by rules. When in doubt: DIAGNOSIS, the strictest path. Pure. */
import type { Intent, RouterVerdict } from '../../shared/domain/contracts/verdict.js';
import { RouterPayload } from '../../shared/domain/prompts/payloads.js';
import type { ChatMessage } from '../../shared/domain/prompts/messages.js';
import { jsonAnswer, type AnalystAnswer } from '../analyst-answer.js';
import { parseJson } from '../reading/transcript.js';

export function route(messages: readonly ChatMessage[]): AnalystAnswer {
  const user = messages.find((message) => message.role === 'user');
  const payload = RouterPayload.safeParse(parseJson(user?.content ?? ''));
  if (!payload.success)
    return verdict('DIAGNOSIS', 'The question could not be read, so the strictest path is taken.');
  return intentOf(payload.data.query, payload.data.last_intent);
}

/** Creations and programming, whatever they are about. */
const CREATION =
  /\b(?:write|compose|tell|give|sing|make|draw|draft)\b[^.?!]{0,24}\b(?:poem|joke|song|story|haiku|essay|limerick|rap|e-?mail|letter|cover letter|speech|tweet)s?\b/i;
const PROGRAMMING =
  /\b(?:write|implement|code|create|generate|refactor)\b[^.?!]{0,40}\b(?:function|script|program|class|code|regex|algorithm|web ?page|component|unit tests?)\b|\bin (?:python|javascript|typescript|java|rust|golang|c\+\+|css|html|php|ruby)\b|\bcenter a div\b|\breverse a (?:string|linked list)\b/i;
const WORLD =
  /\bweather\b|\bcapital of\b|\bpresident of\b|\brecipes?\b|\bcook(?:ing)?\b|\bfootball\b|\bsoccer\b|\bworld cup\b|\bmovies?\b|\bhoroscope\b|\bmeaning of life\b|\btranslate\b|\bstock price\b|\bexchange rate\b|\bbirthday\b|\bholidays?\b|\bpopulation of\b|\bwho (?:was|is|invented|wrote|won)\b|\bwhat(?:'s| is) \d+\s*[-+*/x]\s*\d+/i;
const SMALL_TALK =
  /^\s*(?:hi|hello|hey|yo|good (?:morning|evening|afternoon)|thanks?(?: you)?|thank you|bye|goodbye|how are you|who are you|what are you|what'?s up|nice to meet you|are you (?:a|an) \w+|do you (?:like|love)\b.*)\b[\s\w,']{0,30}[.!?]*\s*$/i;

const PROCEDURE =
  /\bhow (?:do|can|should|would|could|to|must)\b(?! (?:many|much|often))|\bwhat (?:should|shall|must|can|do) (?:i|we|you|one|the \w+)\b[^.?!]{0,20}\bdo\b|\bwhat to do\b|\brun ?books?\b|\bplay ?books?\b|\bprocedures?\b|\b(?:steps|instructions|guide|guidance|documentation|docs|checklist) (?:for|to|on|about)\b|\bwhat does\b.*\bmean\b|\bmeaning of\b|\bexplain (?:the )?(?:alert|term|error)\b|\bwhat (?:is|are) (?:the )?(?:process|recommended|usual|standard|best practice)\b/i;

/** Something to be looked up in what really happened. */
const OBSERVED =
  /\bwhy\b|\bwhat (?:happened|is happening|went wrong|caused|broke)\b|\broot cause\b|\bhow (?:many|much|often)\b|\bsince (?:\d|when|yesterday|this|the)|\bwhich [\w -]{1,40}\b(?:most|least|highest|lowest|fail(?:ed|s)?|were|was|are|is|did|do|have|has)\b|\bwhen did\b|\bdiagnose\b|\binvestigate\b|\banaly[sz]e\b/i;
const TROUBLE =
  /\bslow(?:er|ly|ness|ing)?\b|\berrors?\b|\bfail(?:s|ed|ing|ures?)?\b|\btime(?:d)?[ -]?outs?\b|\blatenc|\boutages?\b|\bincidents?\b|\bcrash|\bdown\b|\bbroken\b|\bunavailable\b|\bspik|\b5\d\d\b|\balerts?\b|\bfiring\b|\blogs?\b|\btables?\b|\bdatabase\b|\bservice\b|\bqueries\b|\bdeadlock|\bunreachable\b|\bwarnings?\b|\bexceptions?\b/i;
const FOLLOW_UP =
  /^\s*(?:and|so|ok(?:ay)?|then|but|also|now|again|more|what else|anything else|what about|why|go on|continue|tell me more|how so)\b/i;
const SHORT = 8;

export function intentOf(query: string, lastIntent: Intent | null): AnalystAnswer {
  const outside = CREATION.test(query) || PROGRAMMING.test(query) || SMALL_TALK.test(query);
  const observed = OBSERVED.test(query);
  const trouble = TROUBLE.test(query);
  if (outside) return verdict('OUT_OF_SCOPE', 'It asks for a text, a program or talk, not about systems.');
  if (isFollowUp(query, observed || trouble) && lastIntent !== null)
    return verdict(lastIntent, 'It follows the question before it and belongs to the same kind.');
  if (WORLD.test(query) && !trouble)
    return verdict('OUT_OF_SCOPE', 'It asks about the world at large, not about systems.');
  if (PROCEDURE.test(query) && !observed)
    return verdict('KNOWLEDGE_QUERY', 'It asks how something is done or what it means.');
  if (observed || trouble) return verdict('DIAGNOSIS', 'It asks about the state or the history of systems.');
  return verdict('DIAGNOSIS', 'Nothing tells the kind for certain, so the strictest path is taken.');
}

/** A few words that begin as a continuation and say nothing of their own. */
function isFollowUp(query: string, saysSomething: boolean): boolean {
  const words = query.trim().split(/\s+/).length;
  return words <= SHORT && FOLLOW_UP.test(query) && (!saysSomething || words <= 3);
}

function verdict(intent: Intent, reason: string): AnalystAnswer {
  const value: RouterVerdict = { intent, reason };
  return jsonAnswer(value);
}
