# shellcheck shell=bash
# Completion of spark-reconcile for bash, by the functions of bash-completion. The program itself says
# what can stand where; it changes nothing for that.

_spark_reconcile() {
  local cur words cword
  COMPREPLY=()
  _get_comp_words_by_ref -n =: cur words cword || return
  words[cword]=$cur

  local line candidates=() paths=
  while IFS= read -r line; do
    case $line in
      :files) paths=files ;;
      :directories) paths=directories ;;
      ?*) candidates+=("${line%%$'\t'*}") ;;
    esac
  done < <("${1/#~\//$HOME/}" complete -- "${words[@]:1:cword}" 2>/dev/null)

  # What belongs to an option stands behind its =, where readline begins a word.
  local option=
  if [[ $cur == --*=* ]]; then
    [[ $COMP_WORDBREAKS == *=* ]] || option=${cur%%=*}=
    cur=${cur#*=}
  fi
  case $paths in
    files) _filedir ;;
    directories) _filedir -d ;;
  esac
  COMPREPLY+=("${candidates[@]/#/$option}")
} && complete -F _spark_reconcile spark-reconcile
