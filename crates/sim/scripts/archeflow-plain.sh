#!/usr/bin/env bash
# What does a shell script pay for the work that ArcheFlow's documents describe? Written
# from those documents, for `hardwon-sim archeflow` to compare with; nobody's product.
#
#   archeflow-plain.sh [--one-jq] extract EVENTS
#   archeflow-plain.sh [--one-jq] inject [DOMAIN [ARCHETYPE]]
#   archeflow-plain.sh [--one-jq] decay [RUN]
#
# Without --one-jq: a loop over the lessons that starts jq and the usual tools for each,
# as such scripts are mostly written. With it: one jq program over the whole file, which
# is about the best that shell and jq can do. Both do the same work on the files in
# .archeflow/memory of the current folder. Neither takes a lock nor syncs the disk.
set -euo pipefail
export LC_ALL=C

memory=.archeflow/memory
lessons=$memory/lessons.jsonl
archive=$memory/archive.jsonl
scratch=$lessons.new.$$

heading='## Known Issues (from past runs)'

die() {
  echo "archeflow-plain: $1" >&2
  exit 1
}

# --- a loop over the lessons ---------------------------------------------------------

# The distinct words of a text, one a line.
words() {
  tr '[:upper:]' '[:lower:]' <<<"$1" | tr -cs '[:alnum:]' '\n' | awk 'length >= 3' | sort -u
}

# The id of the first lesson that has half of the finding's words; nothing if none has.
matching_id() {
  local finding_words n_words n_common lesson text
  finding_words=$(words "$1")
  n_words=$(awk 'NF' <<<"$finding_words" | wc -l)
  ((n_words > 0)) || return 0
  while IFS= read -r lesson; do
    text=$(jq -r '.description + " " + ((.tags // []) | join(" "))' <<<"$lesson")
    n_common=$(comm -12 <(echo "$finding_words") <(words "$text") | wc -l)
    if ((n_common * 100 >= n_words * 50)); then
      jq -r .id <<<"$lesson"
      return 0
    fi
  done <"$lessons"
}

# Ids only ever rise, so the archive counts, too.
next_id() {
  local files=("$lessons") highest
  [[ -f $archive ]] && files+=("$archive")
  highest=$(jq -r .id "${files[@]}" | sed -n 's/^m-\([0-9][0-9]*\)$/\1/p' | sort -n | tail -n 1)
  printf 'm-%03d' $((10#${highest:-0} + 1))
}

# Counts a lesson once a run, however often the run reports it.
see_again() {
  local id=$1 run=$2
  jq -c --arg id "$id" --arg run "$run" --arg now "$(date -u +%Y-%m-%dT%H:%M:%SZ)" '
    if .id != $id then . else
      (if .last_seen_run == $run then . else .frequency += 1 end)
      | .ts = $now | .run_id = $run | .last_seen_run = $run | .runs_since_last_seen = 0
    end' "$lessons" >"$scratch"
  mv "$scratch" "$lessons"
}

add_lesson() {
  local finding=$1 domain=$2
  jq -nc --argjson finding "$finding" --arg id "$(next_id)" --arg domain "$domain" \
    --arg now "$(date -u +%Y-%m-%dT%H:%M:%SZ)" '
    {id: $id, ts: $now, run_id: $finding.run, type: "pattern", source: $finding.source,
     description: $finding.description, frequency: 1, severity: $finding.severity,
     domain: $domain,
     tags: [$finding.description | ascii_downcase | scan("[a-z0-9]{4,}")][:5],
     archetype: null, last_seen_run: $finding.run, runs_since_last_seen: 0}' >>"$lessons"
}

loop_extract() {
  local events=$1 findings finding domain id severity
  domain=$(jq -rs '[.[] | select(.type == "run.start") | .data.domain][0] // "general"' "$events")
  findings=$(jq -c 'select(.type == "review.verdict") | . as $event | .data.findings[]?
    | {run: $event.run_id, source: ($event.data.archetype // "unknown"),
       description: (.description // ""), severity: (.severity // "" | ascii_downcase)}' "$events")
  while IFS= read -r finding; do
    [[ -n $finding ]] || continue
    id=$(matching_id "$(jq -r .description <<<"$finding")")
    if [[ -n $id ]]; then
      see_again "$id" "$(jq -r .run <<<"$finding")"
      continue
    fi
    severity=$(jq -r .severity <<<"$finding")
    case $severity in
      critical | bug | warning) add_lesson "$finding" "$domain" ;;
    esac
  done <<<"$findings"
}

loop_inject() {
  local domain=$1 archetype=$2 lesson fields block
  local type frequency of_domain of_archetype line fits
  block=$(
    while IFS= read -r lesson; do
      fields=$(jq -r '[.type, .frequency, .domain, .archetype // "-",
        "- \(.description | gsub("\\s+"; " ")) [seen \(.frequency)x, \(.source)]"]
        | map(tostring) | join("\t")' <<<"$lesson")
      IFS=$'\t' read -r type frequency of_domain of_archetype line <<<"$fields"
      fits=1
      [[ -z $domain || $of_domain == "$domain" || $of_domain == general ]] || fits=0
      [[ -z $archetype || $of_archetype == - || $of_archetype == "$archetype" ]] || fits=0
      if ((frequency >= 5)) || { ((fits)) && { ((frequency >= 2)) || [[ $type == preference ]]; }; }
      then
        printf '%s\t%s\n' "$frequency" "$line"
      fi
    done <"$lessons" | sort -s -t $'\t' -k 1,1nr | awk 'NR <= 10' | cut -f 2-
  )
  [[ -z $block ]] || printf '%s\n%s\n' "$heading" "$block"
}

loop_decay() {
  local run=$1 lesson fields frequency unseen last_run
  : >"$scratch"
  while IFS= read -r lesson; do
    fields=$(jq -r '[.frequency, .runs_since_last_seen, .last_seen_run // ""] | @tsv' <<<"$lesson")
    IFS=$'\t' read -r frequency unseen last_run <<<"$fields"
    [[ -n $run && $last_run == "$run" ]] || unseen=$((unseen + 1))
    if ((unseen >= 10)); then
      frequency=$((frequency - 1)) unseen=0
    fi
    lesson=$(jq -c --argjson frequency "$frequency" --argjson unseen "$unseen" \
      '.frequency = $frequency | .runs_since_last_seen = $unseen' <<<"$lesson")
    if ((frequency > 0)); then
      echo "$lesson" >>"$scratch"
    else
      echo "$lesson" >>"$archive"
    fi
  done <"$lessons"
  mv "$scratch" "$lessons"
}

# --- one jq program each -------------------------------------------------------------

one_extract() {
  local events=$1 archived=$archive
  [[ -f $archived ]] || archived=/dev/null
  jq -nc --slurpfile events "$events" --slurpfile archived "$archived" '
    # Only words with capitals are lowered, and @csv joins: jq 1.6 is slow at more.
    def words: [match("[A-Za-z0-9]{3,}"; "g").string]
      + [match("[a-z0-9]*[A-Z][A-Za-z0-9]*"; "g").string | ascii_downcase];
    def number: (.id // "") | if startswith("m-") then .[2:] | tonumber? // 0 else 0 end;
    def padded: tostring | if length < 3 then "000"[length:] + . else . end;
    def findings: $events[] | select(.type == "review.verdict") | . as $event
      | .data.findings[]?
      | {run: $event.run_id, source: ($event.data.archetype // "unknown"),
         description: (.description // ""), severity: (.severity // "" | ascii_downcase)};
    (now | floor | todate) as $now
    | ([$events[] | select(.type == "run.start") | .data.domain][0] // "general") as $domain
    | [inputs] as $lessons
    | {lessons: $lessons,
       words: ($lessons | map([.description] + (.tags // []) | @csv | words)),
       highest: ([($lessons, $archived)[] | number] | max // 0)}
    | reduce findings as $finding (.;
        ($finding.description | ascii_downcase | words | unique) as $sought
        | .words as $words
        # What is left of the sought words is at most half of them.
        | (if $sought == [] then null else
             first(range($words | length)
               | select(($sought - $words[.] | length) * 2 <= ($sought | length))) // null
           end) as $index
        | if $index != null then
            .lessons[$index] |= (
              (if .last_seen_run == $finding.run then . else .frequency += 1 end)
              | .ts = $now | .run_id = $finding.run | .last_seen_run = $finding.run
              | .runs_since_last_seen = 0)
          elif ($finding.severity | . == "critical" or . == "bug" or . == "warning") then
            [$finding.description | ascii_downcase | scan("[a-z0-9]{4,}")][:5] as $tags
            | .highest += 1
            | .words += [$sought]
            | .lessons += [{id: "m-\(.highest | padded)", ts: $now, run_id: $finding.run,
                type: "pattern", source: $finding.source, description: $finding.description,
                frequency: 1, severity: $finding.severity, domain: $domain, tags: $tags,
                archetype: null, last_seen_run: $finding.run, runs_since_last_seen: 0}]
          else . end)
    | .lessons[]' "$lessons" >"$scratch"
  mv "$scratch" "$lessons"
}

one_inject() {
  exec jq -nr --arg domain "$1" --arg archetype "$2" --arg heading "$heading" '
    [inputs
     | select(.frequency >= 5 or (
         (.frequency >= 2 or .type == "preference")
         and ($domain == "" or .domain == $domain or .domain == "general")
         and ($archetype == "" or .archetype == null or .archetype == $archetype)))]
    | sort_by(-.frequency)[:10]
    | select(length > 0)
    | $heading, (.[] | "- \(.description | gsub("\\s+"; " ")) [seen \(.frequency)x, \(.source)]")
    ' "$lessons"
}

# One program has one output, so each line says first where it belongs.
one_decay() {
  : >"$scratch"
  jq -nr --arg run "$1" '
    inputs
    | (if $run != "" and .last_seen_run == $run then 0 else 1 end + .runs_since_last_seen) as $n
    # Adding an object is what jq does fastest.
    | . + if $n < 10 then {runs_since_last_seen: $n}
          else {frequency: (.frequency - 1), runs_since_last_seen: 0} end
    | (if .frequency > 0 then "+" else "-" end) + tojson' "$lessons" |
    awk -v kept="$scratch" -v archive="$archive" '
      { file = substr($0, 1, 1) == "+" ? kept : archive; print substr($0, 2) >> file }'
  mv "$scratch" "$lessons"
}

# --- which of them -------------------------------------------------------------------

way=loop
if [[ ${1:-} == --one-jq ]]; then
  way=one
  shift
fi
command=${1:-}
case $command in
  extract)
    [[ -f ${2:-} ]] || die "extract needs a file of events"
    mkdir -p "$memory"
    [[ -f $lessons ]] || : >"$lessons"
    "${way}_extract" "$2"
    ;;
  inject) [[ ! -f $lessons ]] || "${way}_inject" "${2:-}" "${3:-}" ;;
  decay) [[ ! -f $lessons ]] || "${way}_decay" "${2:-}" ;;
  *) die "extract EVENTS, inject [DOMAIN [ARCHETYPE]] or decay [RUN]" ;;
esac
