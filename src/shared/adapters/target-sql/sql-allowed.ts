/** What a statement may use: the allow-lists of contract §5. Whatever is not listed is refused. */

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/**
 * Functions that only compute, native to MySQL 8 and MariaDB ≥ 10.11 alike, so that no stored function can stand in for one.
 * Not among them: anything that sleeps, locks, reads files, tells of accounts and connections, or changes session state.
 */
const FUNCTIONS = words(`
  COUNT SUM AVG MIN MAX STD STDDEV STDDEV_POP STDDEV_SAMP VARIANCE VAR_POP VAR_SAMP GROUP_CONCAT
  BIT_AND BIT_OR BIT_XOR JSON_ARRAYAGG JSON_OBJECTAGG
  ROW_NUMBER RANK DENSE_RANK PERCENT_RANK CUME_DIST NTILE LAG LEAD FIRST_VALUE LAST_VALUE NTH_VALUE
  IF IFNULL NULLIF COALESCE GREATEST LEAST INTERVAL ISNULL
  ABS ACOS ASIN ATAN ATAN2 CEIL CEILING CONV COS COT CRC32 DEGREES EXP FLOOR FORMAT LN LOG LOG10 LOG2 MOD PI POW POWER
  RADIANS RAND ROUND SIGN SIN SQRT TAN TRUNCATE BIT_COUNT
  ASCII BIN BIT_LENGTH CHAR CHAR_LENGTH CHARACTER_LENGTH CHARSET COLLATION COERCIBILITY CONCAT CONCAT_WS ELT EXPORT_SET
  FIELD FIND_IN_SET FROM_BASE64 HEX INSERT INSTR LCASE LEFT LENGTH LOCATE LOWER LPAD LTRIM MAKE_SET MID OCT OCTET_LENGTH
  ORD POSITION QUOTE REGEXP_INSTR REGEXP_REPLACE REGEXP_SUBSTR REPEAT REPLACE REVERSE RIGHT RPAD RTRIM SOUNDEX SPACE
  STRCMP SUBSTR SUBSTRING SUBSTRING_INDEX TO_BASE64 TRIM UCASE UNHEX UPPER WEIGHT_STRING MD5 SHA SHA1 SHA2
  INET_ATON INET_NTOA INET6_ATON INET6_NTOA IS_IPV4 IS_IPV6
  ADDDATE ADDTIME CONVERT_TZ CURDATE CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP CURTIME DATE DATE_ADD DATE_FORMAT
  DATE_SUB DATEDIFF DAY DAYNAME DAYOFMONTH DAYOFWEEK DAYOFYEAR EXTRACT FROM_DAYS FROM_UNIXTIME GET_FORMAT HOUR LAST_DAY
  LOCALTIME LOCALTIMESTAMP MAKEDATE MAKETIME MICROSECOND MINUTE MONTH MONTHNAME NOW PERIOD_ADD PERIOD_DIFF QUARTER
  SEC_TO_TIME SECOND STR_TO_DATE SUBDATE SUBTIME SYSDATE TIME TIME_FORMAT TIME_TO_SEC TIMEDIFF TIMESTAMP TIMESTAMPADD
  TIMESTAMPDIFF TO_DAYS TO_SECONDS UNIX_TIMESTAMP UTC_DATE UTC_TIME UTC_TIMESTAMP WEEK WEEKDAY WEEKOFYEAR YEAR YEARWEEK
  CAST CONVERT
  JSON_ARRAY JSON_CONTAINS JSON_CONTAINS_PATH JSON_DEPTH JSON_EXTRACT JSON_KEYS JSON_LENGTH JSON_OBJECT JSON_QUOTE
  JSON_SEARCH JSON_TYPE JSON_UNQUOTE JSON_VALID JSON_VALUE
  MATCH AGAINST DATABASE SCHEMA VERSION
`);

/** Keywords that may stand before a parenthesis: operators, clauses, and types inside a cast. */
const BEFORE_PARENTHESIS = words(`
  SELECT DISTINCT ALL ANY SOME EXISTS NOT AND OR XOR IN AS ON USING WHERE HAVING BY FROM JOIN STRAIGHT_JOIN LATERAL UNION
  EXCEPT INTERSECT WHEN THEN ELSE CASE BETWEEN LIKE REGEXP RLIKE DIV IS OVER LIMIT OFFSET ROW BINARY INDEX KEY PARTITION
  VARCHAR DECIMAL NUMERIC DATETIME VARBINARY FLOAT DOUBLE NCHAR ESCAPE EXPLAIN JSON
`);

/** Of information_schema: what describes tables, never accounts, processes, variables or the server. */
const INFORMATION_SCHEMA_TABLES = words(
  'TABLES COLUMNS STATISTICS KEY_COLUMN_USAGE REFERENTIAL_CONSTRAINTS VIEWS',
);

export const INFORMATION_SCHEMA = 'information_schema';
const SYSTEM_SCHEMAS = new Set(['mysql', 'performance_schema', 'sys', 'sys_schema']);

export function isAllowedFunction(word: string): boolean {
  return FUNCTIONS.has(word.toUpperCase());
}

export function mayStandBeforeParenthesis(word: string): boolean {
  return BEFORE_PARENTHESIS.has(word.toUpperCase());
}

export function isSystemSchema(schema: string): boolean {
  return SYSTEM_SCHEMAS.has(schema.toLowerCase());
}

/** What a statement may read. */
export interface SqlPolicy {
  /** Where a table without schema is looked up; one of `schemas`. */
  database: string;
  schemas: readonly string[];
}

/** The sentence that refuses the table, or undefined. Schema names are compared exactly: a server may tell `shop` from `Shop`. */
export function tableFault(schema: string, table: string, policy: SqlPolicy): string | undefined {
  if (schema.toLowerCase() === INFORMATION_SCHEMA)
    return INFORMATION_SCHEMA_TABLES.has(table.toUpperCase())
      ? undefined
      : `information_schema.${table} may not be read; of information_schema only ${[...INFORMATION_SCHEMA_TABLES].join(', ')}`;
  return schemaFault(schema, policy);
}

export function schemaFault(schema: string, policy: SqlPolicy): string | undefined {
  if (policy.schemas.includes(schema) && !isSystemSchema(schema)) return undefined;
  return `the schema ${schema} may not be read; allowed: ${policy.schemas.join(', ')}`;
}
